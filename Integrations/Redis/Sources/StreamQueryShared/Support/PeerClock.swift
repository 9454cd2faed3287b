internal import StreamQuery

/// A client's clock, which gives times as durations since this object was made.
struct PeerClock: Sendable {
  /// The time since this object was made.
  let now: @Sendable () -> Duration

  init(_ clock: any Clock<Duration>) {
    self = Self.opening(clock)
  }

  private init(now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  private static func opening<C: Clock>(_ clock: C) -> PeerClock where C.Duration == Duration {
    let start = clock.now
    return PeerClock { max(.zero, start.duration(to: clock.now)) }
  }
}
