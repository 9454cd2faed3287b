/// What the bytes of a partition's file mean.
///
/// A file is a header and frames; a frame is a batch. All numbers are little-endian.
///
///     header  magic 8 · version 4 · zero 4 · generation 8 · checksum 8
///     frame   marker 4 · length of the body 4 · checksum of the body 8 · checksum of these 16 8 · body
///     body    for each change: length of the key 4 · length of the value 4 · key · value
///
/// A length of `UInt32.max` in place of a value's removes the key. A later version keeps the first
/// twelve bytes and the place of the header's checksum, so that it is known for what it is.
///
/// A frame's checksums begin with its partition, generation and offset. So bytes that were copied from
/// elsewhere, or are left over from before a wipe, are no frames, even inside of a value.
struct LogFormat {
  static let version: UInt32 = 1
  static let headerSize = 32
  static let frameHeaderSize = 24
  /// "SQlog", and bytes that a transfer as text would change.
  private static let magic: UInt64 = 0x0A1A_0D67_6F6C_5153
  private static let marker: UInt32 = 0xF5C3_51D7
  private static let removal = UInt32.max

  /// A body may not be longer, so that nobody allocates what a length claims.
  static let bodyLimit = Int(Int32.max)

  let generation: StoreGeneration
  private let seed: UInt64

  init(_ partition: StorePartition, _ generation: StoreGeneration) {
    self.generation = generation
    seed = LogChecksum.of(partition.name, seed: generation.number)
  }

  // MARK: Writing

  /// The bytes that every file of the generation begins with.
  func header() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: Self.magic)
    bytes.append(number: Self.version)
    bytes.append(number: UInt32(0))
    bytes.append(number: generation.number)
    bytes.append(number: bytes.withUnsafeBytes { LogChecksum.of($0, seed: 0) })
    return bytes
  }

  /// Appends a frame to bytes that begin somewhere in the file, and returns whether it could.
  ///
  /// It cannot if the frame would be longer than frames may be.
  func append(
    puts: some Collection<StoreRecord>,
    removals: [String] = [],
    to bytes: inout [UInt8],
    whichBeginAt offset: Int
  ) -> Bool {
    // Sizes are summed up without overflow: data in memory has less than 2⁶³ bytes.
    var length = 0
    for key in removals { length += 8 + key.utf8.count }
    for record in puts { length += Self.cost(of: record) }
    guard length <= Self.bodyLimit else { return false }
    let start = bytes.count
    bytes.reserveCapacity(start + Self.frameHeaderSize + length)
    bytes.append(contentsOf: repeatElement(0, count: Self.frameHeaderSize))
    for key in removals {
      bytes.append(number: UInt32(key.utf8.count))
      bytes.append(number: Self.removal)
      bytes.append(contentsOf: key.utf8)
    }
    for record in puts {
      bytes.append(number: UInt32(record.key.utf8.count))
      bytes.append(number: UInt32(record.value.count))
      bytes.append(contentsOf: record.key.utf8)
      bytes.append(contentsOf: record.value)
    }
    let sum = bytes.withUnsafeBytes {
      LogChecksum.of(
        UnsafeRawBufferPointer(rebasing: $0[(start + Self.frameHeaderSize)...]),
        seed: frameSeed(at: offset + start)
      )
    }
    var head: [UInt8] = []
    head.append(number: Self.marker)
    head.append(number: UInt32(length))
    head.append(number: sum)
    head.append(
      number: head.withUnsafeBytes { LogChecksum.of($0, seed: frameSeed(at: offset + start)) }
    )
    bytes.replaceSubrange(start..<(start + Self.frameHeaderSize), with: head)
    return true
  }

  /// The bytes of a body that a record takes.
  static func cost(of record: StoreRecord) -> Int {
    8 + record.key.utf8.count + record.value.count
  }

  // MARK: Reading

  /// What the beginning of a file says.
  enum Header: Equatable {
    case generation(StoreGeneration)
    case laterVersion
    case damaged
  }

  /// Reads the header, of at least ``headerSize`` bytes.
  static func header(of bytes: UnsafeRawBufferPointer) -> Header {
    let sum = LogChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<24]), seed: 0)
    guard bytes.number(at: 0, as: UInt64.self) == magic,
      bytes.number(at: 24, as: UInt64.self) == sum
    else { return .damaged }
    let version = bytes.number(at: 8, as: UInt32.self)
    guard version <= Self.version else { return .laterVersion }
    return .generation(StoreGeneration(number: bytes.number(at: 16, as: UInt64.self)))
  }

  /// Returns the length of the body if a frame begins there.
  func bodyLength(of bytes: UnsafeRawBufferPointer, at start: Int, offset: Int) -> Int? {
    guard bytes.count - start >= Self.frameHeaderSize,
      bytes.number(at: start, as: UInt32.self) == Self.marker
    else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 16)])
    guard
      bytes.number(at: start + 16, as: UInt64.self)
        == LogChecksum.of(head, seed: frameSeed(at: offset + start))
    else { return nil }
    return Int(exactly: bytes.number(at: start + 4, as: UInt32.self))
  }

  /// A change of a key: the place of its value from the beginning of the file, or `nil` if it goes.
  struct Change {
    var key: String
    var value: Range<Int>?
  }

  /// Returns the changes of a frame, or `nil` if its body is damaged.
  ///
  /// The bytes begin at the offset in the file, the frame at the start in the bytes. Its header and
  /// length are known to be right.
  func changes(
    in bytes: UnsafeRawBufferPointer,
    at start: Int,
    length: Int,
    offset: Int
  ) -> [Change]? {
    let body = UnsafeRawBufferPointer(
      rebasing: bytes[(start + Self.frameHeaderSize)...].prefix(length)
    )
    guard
      LogChecksum.of(body, seed: frameSeed(at: offset + start))
        == bytes.number(at: start + 8, as: UInt64.self)
    else { return nil }
    let base = offset + start + Self.frameHeaderSize
    var changes: [Change] = []
    var position = 0
    while position < body.count {
      guard body.count - position >= 8 else { return nil }
      let keyLength = Int(exactly: body.number(at: position, as: UInt32.self))
      let valueLength = body.number(at: position + 4, as: UInt32.self)
      position += 8
      guard let keyLength, keyLength <= body.count - position else { return nil }
      let key = String(decoding: body[position..<(position + keyLength)], as: UTF8.self)
      position += keyLength
      guard valueLength != Self.removal else {
        changes.append(Change(key: key, value: nil))
        continue
      }
      guard let valueLength = Int(exactly: valueLength), valueLength <= body.count - position
      else { return nil }
      let value = (base + position)..<(base + position + valueLength)
      changes.append(Change(key: key, value: value))
      position = value.upperBound - base
    }
    return changes
  }

  private func frameSeed(at offset: Int) -> UInt64 {
    seed &+ UInt64(offset) &* 0xD6E8_FEB8_6659_FD93
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int,
    as type: Number.Type
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
