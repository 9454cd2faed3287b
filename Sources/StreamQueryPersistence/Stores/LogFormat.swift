/// The format of a partition's file.
///
/// A file is a header and frames; a frame is a batch. All numbers are little-endian.
///
///     header  magic 8 · version 4 · zero 4 · generation 8 · checksum 8
///     frame   marker 4 · length of the body 4 · checksum of the body 8 · checksum of these 16 8 · body
///     body    for each change: length of the key 4 · length of the value 4 · key · value
///
/// A change that removes a key has `UInt32.max` as the length of its value. Later versions must not change
/// the first twelve bytes, nor the place and kind of the header's checksum, so that this version recognizes
/// them.
///
/// The checksums are those of ``CRC64``. The checksum of a frame begins with the digest of its partition's
/// name, its generation and its offset. So bytes that were copied from elsewhere, or remain from before a
/// wipe, are not frames, even inside of a value.
struct LogFormat {
  static let version: UInt32 = 2
  static let headerSize = 32
  static let frameHeaderSize = 24
  /// The number of bytes before each key: the length of the key, and that of the value.
  static let recordHeaderSize = 8
  /// The text "SQlog", and bytes that a transfer in text mode would change.
  private static let magic: UInt64 = 0x0A1A_0D67_6F6C_5153
  private static let marker: UInt32 = 0xF5C3_51D7
  private static let removal = UInt32.max

  /// The maximum length of a body; a damaged header that states a greater length causes no
  /// allocation.
  static let bodyLimit = Int(Int32.max)

  var generation: StoreGeneration
  /// The checksum of the digest of the partition's name.
  private let partition: UInt64

  init(_ partition: StorePartition, _ generation: StoreGeneration) {
    self.generation = generation
    self.partition = SHA256.digest(of: partition.name.utf8).withUnsafeBytes { CRC64.of($0) }
  }

  // MARK: Writing

  /// Returns the header for files of this generation.
  func header() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: Self.magic)
    bytes.append(number: Self.version)
    bytes.append(number: UInt32(0))
    bytes.append(number: generation.number)
    bytes.append(number: bytes.withUnsafeBytes { CRC64.of($0) })
    return bytes
  }

  /// Appends a frame to bytes that are written at an offset of the file.
  ///
  /// - Returns: The changes in the frame; `nil` if the frame would exceed the maximum length.
  func append(
    puts: some Collection<StoreRecord>,
    removals: [String] = [],
    to bytes: inout [UInt8],
    whichBeginAt offset: Int
  ) -> [Change]? {
    // The sum is not an `Int`, which may have only 32 bits: many records may share the bytes of one value, so
    // the sum of their lengths may exceed the memory.
    var sum: UInt64 = 0
    for key in removals { sum += UInt64(8 + key.utf8.count) }
    for record in puts { sum += UInt64(Self.cost(of: record)) }
    guard let length = UInt32(exactly: sum), length <= Self.bodyLimit else { return nil }
    let start = bytes.count
    let body = start + Self.frameHeaderSize
    bytes.reserveCapacity(body + Int(clamping: length))
    bytes.append(contentsOf: repeatElement(0, count: Self.frameHeaderSize))
    var changes: [Change] = []
    changes.reserveCapacity(removals.count + puts.count)
    for key in removals {
      bytes.append(number: UInt32(key.utf8.count))
      bytes.append(number: Self.removal)
      bytes.append(contentsOf: key.utf8)
      changes.append(Change(key: key, value: nil))
    }
    for record in puts {
      bytes.append(number: UInt32(record.key.utf8.count))
      bytes.append(number: UInt32(record.value.count))
      bytes.append(contentsOf: record.key.utf8)
      let value = offset + bytes.count
      bytes.append(contentsOf: record.value)
      changes.append(Change(key: record.key, value: value..<(value + record.value.count)))
    }
    let seed = seed(at: offset + start)
    var head: [UInt8] = []
    head.append(number: Self.marker)
    head.append(number: length)
    head.append(
      number: bytes.withUnsafeBytes {
        CRC64.of(UnsafeRawBufferPointer(rebasing: $0[body...]), after: seed)
      }
    )
    head.append(number: head.withUnsafeBytes { CRC64.of($0, after: seed) })
    bytes.replaceSubrange(start..<body, with: head)
    return changes
  }

  /// Returns the number of bytes that a record needs in a frame's body.
  static func cost(of record: StoreRecord) -> Int {
    recordHeaderSize + record.key.utf8.count + record.value.count
  }

  // MARK: Reading

  /// The content of a file's header.
  enum Header: Equatable {
    case generation(StoreGeneration)
    case otherVersion
    case damaged
  }

  /// Decodes a header from at least ``headerSize`` bytes.
  static func header(of bytes: UnsafeRawBufferPointer) -> Header {
    guard bytes.number(at: 0, as: UInt64.self) == magic else { return .damaged }
    let version = bytes.number(at: 8, as: UInt32.self)
    // Version 1 had another kind of checksum, so its header is recognized by the number alone. A single
    // damaged bit cannot turn the number of the present version into 1.
    if version == 1 { return .otherVersion }
    let sum = CRC64.of(UnsafeRawBufferPointer(rebasing: bytes[..<24]))
    guard bytes.number(at: 24, as: UInt64.self) == sum else { return .damaged }
    guard version == Self.version else { return .otherVersion }
    return .generation(StoreGeneration(number: bytes.number(at: 16, as: UInt64.self)))
  }

  /// Returns the length of a frame's body; `nil` if no frame begins at this place.
  func bodyLength(of bytes: UnsafeRawBufferPointer, at start: Int, offset: Int) -> Int? {
    guard bytes.count - start >= Self.frameHeaderSize,
      bytes.number(at: start, as: UInt32.self) == Self.marker
    else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 16)])
    guard
      bytes.number(at: start + 16, as: UInt64.self)
        == CRC64.of(head, after: seed(at: offset + start)),
      let length = Int(exactly: bytes.number(at: start + 4, as: UInt32.self)),
      length <= Self.bodyLimit
    else { return nil }
    return length
  }

  /// A change of a key, with the range of the value in the file; `nil` for a removal.
  struct Change {
    var key: String
    var value: Range<Int>?
  }

  /// Decodes the changes of a frame; `nil` if the frame's body is damaged.
  ///
  /// `offset` is the place of `bytes` in the file, and `start` is the place of the frame in `bytes`. The
  /// caller has checked the frame's header and length.
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
      CRC64.of(body, after: seed(at: offset + start))
        == bytes.number(at: start + 8, as: UInt64.self)
    else { return nil }
    let base = offset + start + Self.frameHeaderSize
    var changes: [Change] = []
    var position = 0
    while position < body.count {
      guard body.count - position >= 8 else { return nil }
      let valueLength = body.number(at: position + 4, as: UInt32.self)
      guard let keyLength = Int(exactly: body.number(at: position, as: UInt32.self)),
        keyLength <= body.count - position - 8
      else { return nil }
      position += 8
      let key = String(decoding: body[position..<(position + keyLength)], as: UTF8.self)
      position += keyLength
      guard valueLength != Self.removal else {
        changes.append(Change(key: key, value: nil))
        continue
      }
      guard let length = Int(exactly: valueLength), length <= body.count - position else {
        return nil
      }
      let value = (base + position)..<(base + position + length)
      changes.append(Change(key: key, value: value))
      position = value.upperBound - base
    }
    return changes
  }

  /// Returns the start value for a frame's checksum, made from the partition, the generation and the offset.
  private func seed(at offset: Int) -> UInt64 {
    CRC64.of(UInt64(offset), after: CRC64.of(generation.number, after: partition))
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
