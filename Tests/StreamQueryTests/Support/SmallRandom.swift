/// A generator for tests: the same numbers on every platform.
struct SmallRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
  }
}
