internal import Foundation

/// The checksum of a record: FNV-1a of 64 bits, which differs for any single changed byte.
///
/// It detects accidental damage, but not forged records.
enum RecordChecksum {
  /// Returns the checksum of the parts of a record and of their lengths, so that a byte that moved from one
  /// part to the next would change the checksum.
  static func of(_ parts: Data...) -> Int64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { add($0, to: &sum) }
      part.withUnsafeBytes { add($0, to: &sum) }
    }
    return Int64(bitPattern: sum)
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, to sum: inout UInt64) {
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
