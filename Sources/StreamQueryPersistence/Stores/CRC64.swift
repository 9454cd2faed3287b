/// CRC-64/XZ, the checksum that finds damaged bytes in a log.
///
/// It detects every change within 64 consecutive bits, every change of an odd number of bits, and any other
/// change with a probability of 1 − 2⁻⁶⁴. The code processes eight bytes at a time, and at least two bytes in
/// a nanosecond.
enum CRC64 {
  /// The polynomial of ECMA-182, in the order in which the message's bits are read.
  private static let polynomial: UInt64 = 0xC96C_5795_D787_0F42

  /// The first table has the checksum of each byte; table *n* has the checksum of each byte with *n* zero
  /// bytes behind it.
  private static let tables: [UInt64] = {
    var tables: [UInt64] = []
    tables.reserveCapacity(8 * 256)
    for byte in 0..<256 {
      var sum = UInt64(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ polynomial : sum >> 1 }
      tables.append(sum)
    }
    for index in 256..<(8 * 256) {
      let sum = tables[index - 256]
      tables.append(sum >> 8 ^ tables[Int(truncatingIfNeeded: sum & 0xFF)])
    }
    return tables
  }()

  /// Returns the checksum of bytes that follow other bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - sum: The checksum of the bytes before these; 0 if there are none.
  /// - Returns: The checksum of all bytes.
  static func of(_ bytes: UnsafeRawBufferPointer, after sum: UInt64 = 0) -> UInt64 {
    tables.withUnsafeBufferPointer { tables in
      @inline(__always) func entry(_ table: Int, _ state: UInt64, _ shift: UInt64) -> UInt64 {
        tables[table << 8 | Int(truncatingIfNeeded: state >> shift & 0xFF)]
      }
      var state = ~sum
      var offset = 0
      let words = bytes.count & ~7
      while offset < words {
        state ^= UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let early = entry(7, state, 0) ^ entry(6, state, 8) ^ entry(5, state, 16)
        let middle = entry(4, state, 24) ^ entry(3, state, 32) ^ entry(2, state, 40)
        state = early ^ middle ^ entry(1, state, 48) ^ entry(0, state, 56)
        offset += 8
      }
      while offset < bytes.count {
        state = state >> 8 ^ entry(0, state ^ UInt64(bytes[offset]), 0)
        offset += 1
      }
      return ~state
    }
  }

  /// Returns the checksum of a number, as eight bytes that follow other bytes.
  static func of(_ number: UInt64, after sum: UInt64) -> UInt64 {
    withUnsafeBytes(of: number.littleEndian) { of($0, after: sum) }
  }
}
