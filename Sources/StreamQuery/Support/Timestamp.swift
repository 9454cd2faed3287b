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
  package static let never = Timestamp(instant: .distantPast, date: -.infinity)

  /// Places a date on the time line, as long before this timestamp as the wall clock says.
  ///
  /// A date in the future has age 0. A date older than the longest span gets the age of that span.
  /// A date that is not a number becomes this timestamp.
  ///
  /// - Parameter date: Seconds since the reference date.
  /// - Returns: The timestamp of that date.
  package func placing(date: Double) -> Timestamp {
    // If it were kept, states would not equal themselves.
    guard !date.isNaN else { return self }
    let age = (self.date - date) * 1_000_000_000
    // Also false if this date is not a number.
    guard age > 0 else { return Timestamp(instant: instant, date: date) }
    guard age < Double(TimeSpan.longest.nanoseconds) else {
      return Timestamp(instant: .distantPast, date: date)
    }
    // Dates are some 0.1 µs apart, so anything below a microsecond is not an age. If it were kept,
    // data would become stale a moment too early.
    let placed = instant.nanoseconds - Int64((age / 1_000).rounded()) * 1_000
    return Timestamp(instant: Instant(nanoseconds: placed), date: date)
  }
}
