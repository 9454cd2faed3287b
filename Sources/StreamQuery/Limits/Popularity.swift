/// How often something was used lately: a small count that halves with each age that passes.
struct Popularity: Hashable, Sendable {
  /// Counts beyond it say nothing more about the next use.
  static let most: UInt8 = 15

  private var count: UInt8 = 0
  /// The age for which the count is right.
  private var age: UInt32 = 0

  /// The count, at an age that is not before that of the last use.
  @inline(__always)
  func uses(at age: UInt32) -> UInt8 {
    let passed = age &- self.age
    return passed < 8 ? count >> UInt8(truncatingIfNeeded: passed) : 0
  }

  /// It was used, perhaps several times.
  @inline(__always)
  mutating func used(at age: UInt32, times: Int = 1) {
    count = UInt8(min(Int(uses(at: age)) + times, Int(Self.most)))
    self.age = age
  }
}
