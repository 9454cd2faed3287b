@_spi(Adapters) internal import StreamQuery

/// The erased clock of an operator, which reads the time and waits.
///
/// Times are durations since the operator started, because an `any Clock<Duration>` has no instant
/// that could be stored or compared.
struct OperatorTime: Sendable {
  /// The time since the operator started.
  let now: @Sendable () -> Duration

  /// Waits until a time since the operator started; throws when its task is cancelled.
  let sleep: @Sendable (_ deadline: Duration) async throws -> Void

  init(_ clock: any Clock<Duration>) {
    // Most waits of operators are cancelled, and the runtime keeps a cancelled sleep until its time. So
    // another clock with the same time is used.
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
      // The time is clamped, so that adding an interval does not overflow if the clock runs back, or for
      // centuries.
      now: { min(max(.zero, origin.duration(to: clock.now)), Interval.longest) },
      sleep: { deadline in
        try await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
      }
    )
  }
}
