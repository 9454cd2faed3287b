/// A connection's knowledge of its server's clock, which gives commands their deadlines.
struct ServerClock: Equatable {
  /// The time after which the server is asked again.
  ///
  /// Clocks that nobody sets differ by some milliseconds after that time.
  static let trust = Duration.seconds(60)
  /// A time that never comes, in numbers that scripts can read.
  private static let never: UInt64 = 9_007_199_254_730_000

  private struct Reading: Equatable {
    var microseconds: UInt64
    var at: ContinuousClock.Instant
  }

  private var reading: Reading?

  /// The server sent its time.
  ///
  /// - Parameters:
  ///   - microseconds: The time in microseconds since 1970.
  ///   - now: The time when the answer came. By then the server's clock shows a later time than the
  ///     answer, so that times which are computed from it are a little early.
  mutating func received(_ microseconds: UInt64, at now: ContinuousClock.Instant) {
    reading = Reading(microseconds: min(microseconds, Self.never), at: now)
  }

  /// Whether the server has to be asked again.
  ///
  /// - Parameter now: The present time.
  /// - Returns: Whether its answer is too old; `false` without an answer.
  func isOld(at now: ContinuousClock.Instant) -> Bool {
    reading.map { now - $0.at > Self.trust } ?? false
  }

  /// The server's time at an instant.
  ///
  /// - Parameter instant: The instant.
  /// - Returns: The microseconds since 1970, no more than the server's clock shows then; without an answer, a
  ///   time that never comes.
  func microseconds(at instant: ContinuousClock.Instant) -> UInt64 {
    guard let reading else { return Self.never }
    let (seconds, attoseconds) = (instant - reading.at).components
    // The result is limited to the time that never comes, because no deadline is further away.
    let passed =
      Double(seconds) * 1_000_000 + Double(attoseconds / 1_000_000_000_000)
    let time = Double(reading.microseconds) + passed
    return UInt64(min(max(time, 0), Double(Self.never)))
  }
}
