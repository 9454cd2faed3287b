/// Computes the digests by which a server names scripts.
///
/// The digests are not used for security.
enum SHA1 {
  /// The digest of bytes, as the server writes it.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: 40 hexadecimal digits.
  static func hexadecimal(of bytes: [UInt8]) -> String {
    var message = bytes
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    let bits = UInt64(bytes.count) &* 8
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    for start in stride(from: 0, to: message.count, by: 64) {
      mix(message[start..<start + 64], into: &state)
    }
    let digits = Array("0123456789abcdef")
    return String(
      state.flatMap { word in
        stride(from: UInt32(28), through: 0, by: -4).map { digits[Int(word >> $0 & 15)] }
      }
    )
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = []
    words.reserveCapacity(80)
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotated(mixed, by: 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (function, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next = rotated(a, by: 5) &+ function &+ e &+ constant &+ word
      (e, d, c, b, a) = (d, c, rotated(b, by: 30), a, next)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
