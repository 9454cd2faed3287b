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
        // A clock that ran back, or for centuries, is held at the ends (contract law 11).
        let elapsed = min(Span(start.duration(to: clock.now)), .longest)
        return Moment(nanoseconds: elapsed.nanoseconds)
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
