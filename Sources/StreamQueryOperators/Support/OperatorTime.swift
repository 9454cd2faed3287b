@_spi(Adapters) internal import StreamQuery

/// The clock of an operator without its type; it reads the time and waits.
///
/// Times are durations since the operator started, because an `any Clock<Duration>` has no instant that could
/// be stored or compared.
struct OperatorTime: Sendable {
  /// The time since the operator started.
  let now: @Sendable () -> Duration

  /// Waits until a time, measured since the operator's start; throws when the task is cancelled.
  let sleep: @Sendable (_ deadline: Duration) async throws -> Void

  init(_ clock: any Clock<Duration>) {
    // Most waits of operators are cancelled, and the runtime keeps a cancelled sleep until its time. So the
    // continuous clock is replaced with one that shows the same time and ends cancelled sleeps.
    let clock = clock is ContinuousClock ? Deadlines.continuousClock : clock
    self = Self.erasing(clock)
  }

  private init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (_ deadline: Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func erasing<C: Clock<Duration>>(_ clock: C) -> Self {
    let origin = clock.now
    return Self(
      // The time is limited, so that adding an interval does not overflow if the clock runs back, or for
      // centuries.
      now: { min(max(.zero, origin.duration(to: clock.now)), Interval.longest) },
      sleep: { deadline in
        try await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
      }
    )
  }
}
