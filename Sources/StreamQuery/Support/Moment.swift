/// A point on a client's own time line, in nanoseconds since the client began.
///
/// Machines compare and add moments; they never read a clock. The range of 0…100 years added to any
/// moment of the same range fits 64 bits, so no arithmetic here can trap.
package struct Moment: Hashable, Comparable, Sendable {
  /// Nanoseconds since the client began; negative for data that is older than the client.
  package var nanoseconds: Int64

  /// Creates a moment.
  ///
  /// - Parameter nanoseconds: Nanoseconds since the client began.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant at which the client began.
  package static let zero = Moment(nanoseconds: 0)

  /// Before everything: the time of what never happened.
  package static let distantPast = Moment(nanoseconds: -Span.longest.nanoseconds)

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }

  /// The moment a span after another, or `nil` when that is never.
  package static func + (lhs: Self, rhs: Span) -> Moment? {
    guard !rhs.isInfinite else { return nil }
    let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
    return overflow ? nil : Moment(nanoseconds: sum)
  }
}

/// A length of time that is never negative: 0…100 years, or infinite.
///
/// Durations that people write are clamped into it once, at the edge (contract law 11), so that
/// machines need no checks.
package struct Span: Hashable, Comparable, Sendable {
  /// The length in nanoseconds; `Int64.max` is infinite.
  package let nanoseconds: Int64

  private init(unchecked nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Clamps a duration: negative ones become zero, those above 100 years infinite.
  ///
  /// - Parameter duration: The duration that was asked for.
  package init(_ duration: Duration) {
    // Compared before it is taken apart: `components` traps on what does not fit 64 bits of seconds.
    if duration <= .zero {
      self = .zero
    } else if duration > Span.longest.duration {
      self = .infinite
    } else {
      let (seconds, attoseconds) = duration.components
      self.init(unchecked: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
  }

  /// No time at all.
  package static let zero = Span(unchecked: 0)

  /// The longest finite span: 100 years of 365.25 days.
  package static let longest = Span(unchecked: 3_155_760_000 * 1_000_000_000)

  /// For ever.
  package static let infinite = Span(unchecked: .max)

  /// Whether the span never ends.
  package var isInfinite: Bool { nanoseconds == .max }

  /// The span as a duration; the infinite one is the longest that a clock can sleep.
  package var duration: Duration {
    .nanoseconds(isInfinite ? Span.longest.nanoseconds : nanoseconds)
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}

/// A moment together with the date that people see for it.
///
/// Decisions use the moment, which never runs back; the date is kept as it was told or read, so that
/// a jumping wall clock changes no age and a date that was passed in comes out unchanged.
package struct Timestamp: Hashable, Sendable {
  /// When, on the client's time line.
  package var moment: Moment

  /// The same in seconds since the reference date of 2001.
  package var date: Double

  /// Creates a timestamp.
  ///
  /// - Parameters:
  ///   - moment: When, on the client's time line.
  ///   - date: The same in seconds since the reference date.
  package init(moment: Moment, date: Double) {
    self.moment = moment
    self.date = date
  }

  /// The time of what never happened.
  package static let never = Timestamp(moment: .distantPast, date: -.infinity)

  /// Places a date on the time line: as long before this timestamp as the wall clock says.
  ///
  /// A date in the future has age 0; one from before the longest span is that old; one that is not
  /// a number is this timestamp.
  ///
  /// - Parameter date: Seconds since the reference date.
  /// - Returns: The timestamp of that date.
  package func placing(date: Double) -> Timestamp {
    // Kept, it would make states unequal to themselves.
    guard !date.isNaN else { return self }
    let age = (self.date - date) * 1_000_000_000
    // False also if this date is not a number.
    guard age > 0 else { return Timestamp(moment: moment, date: date) }
    guard age < Double(Span.longest.nanoseconds) else {
      return Timestamp(moment: .distantPast, date: date)
    }
    // Dates are some 0.1 µs apart, so what is below a microsecond is no age; kept, data would turn
    // stale a moment before its time.
    let placed = moment.nanoseconds - Int64((age / 1_000).rounded()) * 1_000
    return Timestamp(moment: Moment(nanoseconds: placed), date: date)
  }
}
