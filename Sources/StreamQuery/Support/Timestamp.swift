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
