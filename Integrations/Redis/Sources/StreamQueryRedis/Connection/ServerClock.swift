/// The time of a server as a connection knows it, from which the deadlines of commands are computed.
struct ServerClock: Equatable {
  /// The time after which the connection asks the server for its time again.
  ///
  /// In this time, two clocks that nobody sets drift apart by some milliseconds.
  static let trust = Duration.seconds(60)
  /// A time that never comes, as a number that scripts can read.
  private static let never: UInt64 = 9_007_199_254_730_000

  private struct Reading: Equatable {
    var microseconds: UInt64
    var at: ContinuousClock.Instant
  }

  private var reading: Reading?
  /// When the connection last asked the server for its time; `nil` if it has not asked since it began.
  private var askedAt: ContinuousClock.Instant?

  /// Stores the time that the server sent.
  ///
  /// - Parameters:
  ///   - microseconds: The time in microseconds since 1970.
  ///   - now: The time when the answer came. By then the server's clock shows a later time than the
  ///     answer, so that times which are computed from the answer are a little early.
  mutating func received(_ microseconds: UInt64, at now: ContinuousClock.Instant) {
    reading = Reading(microseconds: min(microseconds, Self.never), at: now)
  }

  /// Whether the connection has to ask the server for its time now.
  ///
  /// - Parameter now: The present time.
  /// - Returns: Whether the last answer and the last request are too old; `false` without an answer.
  mutating func asks(at now: ContinuousClock.Instant) -> Bool {
    guard let reading, now - max(reading.at, askedAt ?? reading.at) > Self.trust else {
      return false
    }
    askedAt = now
    return true
  }

  /// The server's time at an instant.
  ///
  /// - Parameter instant: The instant.
  /// - Returns: The microseconds since 1970, no more than the server's clock shows then; without an answer, a
  ///   time that never comes.
  func microseconds(at instant: ContinuousClock.Instant) -> UInt64 {
    guard let reading else { return Self.never }
    let (seconds, attoseconds) = (instant - reading.at).components
    // The result is limited to the time that never comes, which is later than any deadline.
    let passed =
      Double(seconds) * 1_000_000 + Double(attoseconds / 1_000_000_000_000)
    let time = Double(reading.microseconds) + passed
    return UInt64(min(max(time, 0), Double(Self.never)))
  }
}
