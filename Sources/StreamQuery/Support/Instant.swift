/// A point on a client's own time line, in nanoseconds since the client started.
///
/// Machines compare and add instants; they never read a clock. Adding up to 100 years to an instant up to 100
/// years from the start fits in 64 bits, so no arithmetic here can trap.
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the client started; negative for data that is older than the client.
  package var nanoseconds: Int64

  /// Creates an instant.
  ///
  /// - Parameter nanoseconds: Nanoseconds since the client started.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant at which the client started.
  package static let zero = Instant(nanoseconds: 0)

  /// The time of events that never happened, before every other instant.
  package static let distantPast = Instant(nanoseconds: -TimeSpan.longest.nanoseconds)

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  /// The instant that is a span later; `nil` if the span is infinite, or the sum too large.
  package static func + (lhs: Self, rhs: TimeSpan) -> Instant? {
    guard !rhs.isInfinite else { return nil }
    let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
    return overflow ? nil : Instant(nanoseconds: sum)
  }
}

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
    // Queries are made at each call, so this is as fast as possible.
    let attoseconds = duration.attoseconds
    if attoseconds <= 0 {
      self.init(unchecked: 0)
    } else if attoseconds > Int128(TimeSpan.longest.nanoseconds) * 1_000_000_000 {
      self.init(unchecked: .max)
    } else {
      self.init(unchecked: TimeSpan.nanoseconds(attoseconds))
    }
  }

  /// Converts attoseconds, from 0 to the longest span, to whole nanoseconds.
  ///
  /// This is a long division with 32-bit digits. The divisor is a constant, so each step is a
  /// multiplication. One 128-bit division would take as long as reading the clock.
  static func nanoseconds(_ attoseconds: Int128) -> Int64 {
    let divisor: UInt64 = 1_000_000_000
    let low = UInt64(truncatingIfNeeded: attoseconds)
    // The longest span has 92 bits, so the number above the 64 low bits is smaller than the divisor.
    let first = UInt64(truncatingIfNeeded: attoseconds >> 64) << 32 | low >> 32
    let second = (first % divisor) << 32 | low & 0xFFFF_FFFF
    return Int64(truncatingIfNeeded: (first / divisor) << 32 | second / divisor)
  }

  /// Clamps the duration of a wait, so that the wait does not end even a nanosecond too early.
  ///
  /// - Parameter duration: The requested duration.
  /// - Returns: The span.
  static func roundingUp(_ duration: Duration) -> TimeSpan {
    let span = TimeSpan(duration)
    let isCut = !span.isInfinite && span.duration < duration
    return isCut ? TimeSpan(unchecked: span.nanoseconds + 1) : span
  }

  /// An optional span that takes no more memory than a span: a negative number stands for `nil`.
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

  /// The span as a duration; an infinite span gives the longest time that a clock can sleep.
  package var duration: Duration {
    .nanoseconds(isInfinite ? TimeSpan.longest.nanoseconds : nanoseconds)
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}

/// An instant together with the date that users see for it.
///
/// Decisions use the instant, which never runs backwards. The date is kept as it was given or read,
/// so that a jumping wall clock changes no age and a date that was passed in comes out unchanged.
package struct Timestamp: Hashable, Sendable {
  /// The time on the client's time line.
  package var instant: Instant

  /// The same time in seconds since the reference date of 2001.
  package var date: Double

  /// Creates a timestamp.
  ///
  /// - Parameters:
  ///   - instant: The time on the client's time line.
  ///   - date: The same time in seconds since the reference date.
  package init(instant: Instant, date: Double) {
    self.instant = instant
    self.date = date
  }

  /// The time of events that never happened.
  // Computed, because the compiler would make a stored one when it is first used, and test at each use
  // whether it was made.
  package static var never: Timestamp { Timestamp(instant: .distantPast, date: -.infinity) }

  /// Converts a date to a timestamp: the difference from this timestamp's date gives the instant.
  ///
  /// A date in the future has age 0. A date older than the longest span gets the age of that span.
  /// A date that is not a number becomes this timestamp.
  ///
  /// - Parameter date: Seconds since the reference date.
  /// - Returns: The timestamp of that date.
  package func placing(date: Double) -> Timestamp {
    // A state with a date that is not a number would not equal itself.
    guard !date.isNaN else { return self }
    let age = (self.date - date) * 1_000_000_000
    // The comparison is also `false` if the date of this timestamp is not a number.
    guard age > 0 else { return Timestamp(instant: instant, date: date) }
    guard age < Double(TimeSpan.longest.nanoseconds) else {
      return Timestamp(instant: .distantPast, date: date)
    }
    // Dates are some 0.1 µs apart, so an age below a microsecond is an artefact. With it, data
    // would become stale a moment too early.
    let placed = instant.nanoseconds - Int64((age / 1_000).rounded()) * 1_000
    return Timestamp(instant: Instant(nanoseconds: placed), date: date)
  }
}
