/// A length of time that is never negative: 0…100 years, or infinite.
///
/// Durations that users write are clamped to this range once, at the boundary (contract law 11), so
/// that machines need no checks.
package struct TimeSpan: Hashable, Comparable, Sendable {
  /// The length in nanoseconds; `Int64.max` is infinite.
  package let nanoseconds: Int64

  private init(unchecked nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Clamps a duration: negative ones become zero, those above 100 years infinite.
  ///
  /// - Parameter duration: The requested duration.
  package init(_ duration: Duration) {
    // Queries that are made at each call are why this is as fast as it can be.
    let attoseconds = duration.attoseconds
    if attoseconds <= 0 {
      self.init(unchecked: 0)
    } else if attoseconds > Int128(TimeSpan.longest.nanoseconds) * 1_000_000_000 {
      self.init(unchecked: .max)
    } else {
      self.init(unchecked: TimeSpan.nanoseconds(attoseconds))
    }
  }

  /// Converts attoseconds to whole nanoseconds; from 0 to the longest span.
  ///
  /// Long division with 32-bit digits: the divisor is a constant, so each step is a multiplication.
  /// One 128-bit division would take as long as reading the clock.
  static func nanoseconds(_ attoseconds: Int128) -> Int64 {
    let divisor: UInt64 = 1_000_000_000
    let low = UInt64(truncatingIfNeeded: attoseconds)
    // The longest span has 92 bits: the part above the low ones is smaller than the divisor.
    let first = UInt64(truncatingIfNeeded: attoseconds >> 64) << 32 | low >> 32
    let second = (first % divisor) << 32 | low & 0xFFFF_FFFF
    return Int64(truncatingIfNeeded: (first / divisor) << 32 | second / divisor)
  }

  /// Clamps the duration of a wait, which must not end too early, not even by less than a nanosecond.
  ///
  /// - Parameter duration: The requested duration.
  /// - Returns: The span.
  static func roundingUp(_ duration: Duration) -> TimeSpan {
    let span = TimeSpan(duration)
    let isCut = !span.isInfinite && span.duration < duration
    return isCut ? TimeSpan(unchecked: span.nanoseconds + 1) : span
  }

  /// A span that may be missing, in the room of one that is there: no span is negative.
  package struct Packed: Hashable, Sendable {
    private let nanoseconds: Int64

    package init(_ span: TimeSpan?) { nanoseconds = span?.nanoseconds ?? -1 }

    package var value: TimeSpan? {
      nanoseconds < 0 ? nil : TimeSpan(unchecked: nanoseconds)
    }
  }

  /// No time.
  package static let zero = TimeSpan(unchecked: 0)

  /// The longest finite span: 100 years of 365.25 days.
  package static let longest = TimeSpan(unchecked: 3_155_760_000 * 1_000_000_000)

  /// For ever.
  package static let infinite = TimeSpan(unchecked: .max)

  /// Whether the span never ends.
  package var isInfinite: Bool { nanoseconds == .max }

  /// The span as a duration; the infinite one is the longest that a clock can sleep.
  package var duration: Duration {
    .nanoseconds(isInfinite ? TimeSpan.longest.nanoseconds : nanoseconds)
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}
