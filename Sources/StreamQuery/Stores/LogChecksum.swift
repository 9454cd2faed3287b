/// A checksum that finds damaged bytes of a log.
///
/// Each step is reversible: a change within one word of eight bytes is always found, any other with a
/// probability of 1 − 2⁻⁶⁴. It costs one multiplication for eight bytes. A table for CRC would cost a
/// lookup for each byte, and Swift has no access to the processor's instruction for it.
enum LogChecksum {
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The seed is what else the bytes belong to: the same bytes elsewhere have another checksum.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var sum = (seed ^ UInt64(bytes.count)) &* factor
    let words = bytes.count & ~7
    var offset = 0
    while offset < words {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      sum = step(sum, word)
      offset += 8
    }
    if offset < bytes.count {
      var word: UInt64 = 0
      while offset < bytes.count {
        word = word << 8 | UInt64(bytes[offset])
        offset += 1
      }
      sum = step(sum, word)
    }
    return sum
  }

  static func of(_ text: String, seed: UInt64) -> UInt64 {
    Array(text.utf8).withUnsafeBytes { of($0, seed: seed) }
  }

  @inline(__always)
  private static func step(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* factor
    return product ^ product >> 32
  }
}
