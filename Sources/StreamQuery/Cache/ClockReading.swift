/// The time as it was read outside the lock.
struct ClockReading: Sendable {
  var instant: Instant
  /// Seconds since the reference date; `nil` if the wall clock was not read.
  var date: Double?
}
