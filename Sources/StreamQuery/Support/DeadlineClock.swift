/// The clock of a client, for all that waits with the client: a sleep that is cancelled leaves
/// nothing behind, see ``Deadlines``.
struct DeadlineClock: Clock {
  typealias Duration = Swift.Duration

  struct Instant: InstantProtocol {
    typealias Duration = Swift.Duration

    /// The time since the client started, within 200 years.
    let offset: Duration

    fileprivate init(_ offset: Duration) { self.offset = Self.clamped(offset) }

    func advanced(by duration: Duration) -> Self { Self(offset + Self.clamped(duration)) }

    func duration(to other: Self) -> Duration { other.offset - offset }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }

    // Sums of enormous durations must not overflow.
    private static func clamped(_ duration: Duration) -> Duration {
      let limit = TimeSpan.longest.duration * 2
      return min(max(duration, .zero - limit), limit)
    }
  }

  let deadlines: Deadlines

  var now: Instant { Instant(.nanoseconds(deadlines.clock.now().nanoseconds)) }

  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let span = TimeSpan.roundingUp(deadline.offset)
    guard let instant = StreamQuery.Instant.zero + TimeSpan(span.duration) else { return }
    try await deadlines.sleep(until: instant)
  }
}
