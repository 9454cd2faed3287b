/// The name of a partition's file, made from any text, so that every file system accepts it.
///
/// Lower-case letters and digits stay, and other characters become the hexadecimal numbers of their bytes:
/// some file systems do not distinguish names that differ only in case or form. A long name is replaced by
/// its digest, ``SHA256``. If a part of the name or a checksum replaced the name, somebody could choose two
/// names that collide.
struct LogFileName: Hashable {
  static let suffix = ".log"
  private static let new = ".new"
  private static let limit = 120
  /// The stem of the file whose name has the floor, which is the generation of all partitions without a file.
  ///
  /// No partition has this stem.
  static let floorStem = "~"

  /// The partition's name in the form that file names have.
  let stem: String
  let generation: StoreGeneration

  init(_ partition: StorePartition, _ generation: StoreGeneration) {
    self.init(stem: Self.stem(partition), generation)
  }

  init(stem: String, _ generation: StoreGeneration) {
    self.stem = stem
    self.generation = generation
  }

  /// Parses the name of a file; `nil` if no partition's file has such a name.
  init?(_ text: String) {
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.count).split(
      separator: "@",
      omittingEmptySubsequences: false
    )
    // Only the lower half of the numbers is allowed, so that each generation has a next one.
    guard parts.count == 2, let number = UInt64(parts[1]), number <= UInt64.max / 2,
      String(number) == parts[1]
    else { return nil }
    stem = String(parts[0])
    generation = StoreGeneration(number: number)
  }

  /// The file name itself.
  var text: String { "\(stem)@\(generation.number)\(Self.suffix)" }
  /// The name of a new file while it is written, before it replaces this one.
  var replacement: String { text + Self.new }

  /// Returns the name of the file that a replacement was written for; `nil` if the text is no replacement's
  /// name.
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
    // The encoding above never yields `~`, so no short name equals a digest's name.
    return "~"
      + SHA256.digest(of: partition.name.utf8).map { hexadecimal($0) }.joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }
}
