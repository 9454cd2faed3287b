/// A small seeded generator: the same seed gives the same numbers on every platform.
///
/// A number costs one addition and two rounds of multiplying and shifting. The state is 64 bits, so
/// that it can be copied and compared. Do not use it for secrets.
struct SplitMix: RandomNumberGenerator, Equatable, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number in `0..<bound`: the high half of a product, without a division.
  ///
  /// The bias is `bound / 2^64`, which is negligible for a queue of jobs.
  mutating func next(below bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
