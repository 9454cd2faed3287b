/// A clock as two closures over nanoseconds since the client began.
///
/// `any Clock<Duration>` has no instant that could be stored, so the clock is opened once, here.
struct ErasedClock: Sendable {
  /// The time since the client began.
  let now: @Sendable () -> Moment
  /// Sleeps until a moment; throws `CancellationError` at once when the task is cancelled.
  let sleep: @Sendable (_ until: Moment) async throws -> Void

  init(_ clock: any Clock<Duration>) {
    self = Self.opening(clock)
  }

  private init(
    now: @escaping @Sendable () -> Moment,
    sleep: @escaping @Sendable (_ until: Moment) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func opening<C: Clock>(_ clock: C) -> ErasedClock where C.Duration == Duration {
    let start = clock.now
    return ErasedClock(
      now: {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        // A clock that ran back, or for centuries, is held at the ends (contract law 11).
        guard seconds >= 0, attoseconds >= 0 else { return .zero }
        guard seconds < 3_155_760_000 else { return Moment(nanoseconds: Span.longest.nanoseconds) }
        return Moment(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
      },
      sleep: { moment in
        try await clock.sleep(
          until: start.advanced(by: .nanoseconds(moment.nanoseconds)),
          tolerance: nil
        )
      }
    )
  }
}
