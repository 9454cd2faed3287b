/// The names of the files of a partition: any text becomes a name that every file system takes.
///
/// Lower-case letters and digits stay, everything else becomes the hexadecimal numbers of its bytes: names
/// that differ only in case or form are the same to some file systems. In place of a long name stands its
/// digest, ``SHA256``: no part of the name, and no checksum, would keep two names of a choice apart.
struct LogFileName: Hashable {
  static let suffix = ".log"
  private static let new = ".new"
  private static let limit = 120
  /// The stem of the file whose generation is that of partitions without a file; no partition has it.
  static let floorStem = "~"

  /// The partition, as it is written in all its names.
  let stem: String
  let generation: StoreGeneration

  init(_ partition: StorePartition, _ generation: StoreGeneration) {
    self.init(stem: Self.stem(partition), generation)
  }

  init(stem: String, _ generation: StoreGeneration) {
    self.stem = stem
    self.generation = generation
  }

  /// Reads the name of a file; `nil` if no partition has it.
  init?(_ text: String) {
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.count).split(
      separator: "@",
      omittingEmptySubsequences: false
    )
    // Half of the numbers, so that there is always a next one.
    guard parts.count == 2, let number = UInt64(parts[1]), number <= UInt64.max / 2,
      String(number) == parts[1]
    else { return nil }
    stem = String(parts[0])
    generation = StoreGeneration(number: number)
  }

  /// The name of the file.
  var text: String { "\(stem)@\(generation.number)\(Self.suffix)" }
  /// The name of the file that takes its place, until it does.
  var replacement: String { text + Self.new }

  /// Returns the name of the file whose place another was to take; `nil` if it is no such file.
  static func replaced(by text: String) -> LogFileName? {
    text.hasSuffix(new) ? LogFileName(String(text.dropLast(new.count))) : nil
  }

  static func stem(_ partition: StorePartition) -> String {
    var stem = ""
    for byte in partition.name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        stem.unicodeScalars.append(Unicode.Scalar(byte))
      default: stem += "%" + hexadecimal(byte)
      }
    }
    guard stem.utf8.count > limit else { return stem }
    // The sign is not among what is written for any other byte.
    return "~"
      + SHA256.digest(of: partition.name.utf8).map { hexadecimal($0) }.joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }
}
