/// The time as it was read outside the lock.
struct Now: Sendable {
  var moment: Moment
  /// Seconds since the reference date; `nil` if the wall clock was not read.
  var date: Double?
}
