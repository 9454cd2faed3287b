import Testing

import StreamQuery
@testable import StreamQueryPersistence

struct CRC64Tests {
  private func sum(_ bytes: [UInt8], after sum: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { CRC64.of($0, after: sum) }
  }

  /// One bit at a time, as the definition says.
  private func defined(_ bytes: [UInt8]) -> UInt64 {
    var state = UInt64.max
    for byte in bytes {
      state ^= UInt64(byte)
      for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0xC96C_5795_D787_0F42 : 0) }
    }
    return ~state
  }

  @Test func thePublishedCheckValueIsThatOfCRC64XZ() {
    expectEqual(sum(Array("123456789".utf8)), 0x995D_C9BB_DF19_39FA)
    expectEqual(sum([]), 0)
  }

  @Test func eightBytesAtATimeComeToTheSameAsOneBitAtATime() {
    let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 * $0 * 31 + 7) }
    for start in 0..<9 {
      for end in start...bytes.count {
        let part = Array(bytes[start..<end])
        let found = bytes.withUnsafeBytes {
          CRC64.of(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
        }
        expectEqual(found, defined(part), "\(start)..<\(end)")
      }
    }
  }

  @Test func whatComesBeforeCountsAsIfItWereThere() {
    let bytes = (0..<40).map { UInt8($0 * 5) }
    for end in 0...bytes.count {
      let before = sum(Array(bytes[..<end]))
      expectEqual(sum(Array(bytes[end...]), after: before), sum(bytes))
    }
    expectEqual(CRC64.of(0x0807_0605_0403_0201, after: 9), sum([1, 2, 3, 4, 5, 6, 7, 8], after: 9))
  }

  // A changed bit changes the sum by a number that depends on its place alone. If no two sets of up to three of these
  // numbers come to the same, no change of up to six bits goes unnoticed.
  @Test func noChangeOfUpToSixBitsWithinSixteenBytesGoesUnnoticed() {
    let zeros = [UInt8](repeating: 0, count: 16)
    let whole = sum(zeros)
    let changes = (0..<128).map { bit in
      var bytes = zeros
      bytes[bit / 8] = 1 << (bit % 8)
      return sum(bytes) ^ whole
    }
    var sums: [UInt64] = [0]
    for first in 0..<128 {
      sums.append(changes[first])
      for second in (first + 1)..<128 {
        sums.append(changes[first] ^ changes[second])
        guard second < 127 else { continue }
        for third in (second + 1)..<128 {
          sums.append(changes[first] ^ changes[second] ^ changes[third])
        }
      }
    }
    sums.sort()
    #expect(zip(sums, sums.dropFirst()).allSatisfy { $0 != $1 })
    expectEqual(sums.count, 1 + 128 + 8_128 + 341_376)
  }
}
