/// What a connection knows of its server's clock, so that a command can say until when it counts.
struct ServerClock: Equatable {
  /// After how long the server is asked again: clocks that are not set drift by some milliseconds
  /// in that time.
  static let trust = Duration.seconds(60)
  /// A time that never comes, in numbers that scripts can take.
  private static let never: UInt64 = 9_007_199_254_730_000

  private struct Reading: Equatable {
    var microseconds: UInt64
    var at: ContinuousClock.Instant
  }

  private var reading: Reading?

  /// The server told its time.
  ///
  /// - Parameters:
  ///   - microseconds: The time in microseconds since 1970.
  ///   - now: When its answer came. The server's clock is further by then, so that what is derived
  ///     from it is early.
  mutating func told(_ microseconds: UInt64, at now: ContinuousClock.Instant) {
    reading = Reading(microseconds: min(microseconds, Self.never), at: now)
  }

  /// Whether the server has to be asked again.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether what it told is too old; `false` if it never told anything.
  func isOld(at now: ContinuousClock.Instant) -> Bool {
    reading.map { now - $0.at > Self.trust } ?? false
  }

  /// The server's time at an instant.
  ///
  /// - Parameter instant: The instant.
  /// - Returns: The microseconds since 1970, no more than the server's clock shows then; a time that
  ///   never comes if it never told anything.
  func microseconds(at instant: ContinuousClock.Instant) -> UInt64 {
    guard let reading else { return Self.never }
    let (seconds, attoseconds) = (instant - reading.at).components
    // No deadline is further away, and no connection older.
    let passed =
      Double(seconds) * 1_000_000 + Double(attoseconds / 1_000_000_000_000)
    let time = Double(reading.microseconds) + passed
    return UInt64(min(max(time, 0), Double(Self.never)))
  }
}
