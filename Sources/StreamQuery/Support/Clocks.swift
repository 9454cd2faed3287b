#if canImport(Glibc)
private import Glibc
// An optimised build needs this import: the compiler may find `timespec` in this module first, depending on
// the order of files.
#if canImport(SwiftOverlayShims)
private import SwiftOverlayShims
#endif
#endif

/// A clock as two closures over nanoseconds since the client started.
///
/// `any Clock<Duration>` has no instant that could be stored, so only the initialiser uses the clock's type.
struct ErasedClock: Sendable {
  /// The time since the client started.
  let now: @Sendable () -> Instant
  /// Sleeps until an instant; throws `CancellationError` at once if the task is cancelled.
  let sleep: @Sendable (_ until: Instant) async throws -> Void

  init(_ clock: any Clock<Duration>) {
    // Nearly every client uses `ContinuousClock`, so its time is read directly.
    guard let continuous = clock as? ContinuousClock else {
      self = Self.opening(clock)
      return
    }
    #if canImport(Glibc)
    self = Self(now: Self.sinceBoot(), sleep: Self.opening(continuous).sleep)
    #else
    self = Self.opening(continuous)
    #endif
  }

  /// A clock with the same time that sleeps by deadlines which many clients share.
  ///
  /// The runtime keeps the memory of a cancelled `Task.sleep`, some 800 bytes, until its own deadline. A
  /// client sleeps until the end of a retention, minutes away, so each client that comes and goes would leave
  /// that much.
  ///
  /// - Parameter deadlines: The deadlines; their clock runs like this one.
  /// - Returns: The clock.
  func sleeping(on deadlines: Deadlines) -> ErasedClock {
    let now = now
    return ErasedClock(now: now) { instant in
      let left = TimeSpan(.nanoseconds(max(0, instant.nanoseconds - now().nanoseconds)))
      let end = deadlines.clock.now() + left
      try await deadlines.sleep(until: end ?? Instant(nanoseconds: .max))
    }
  }

  private init(
    now: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (_ until: Instant) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  private static func opening<C: Clock>(_ clock: C) -> ErasedClock where C.Duration == Duration {
    let start = clock.now
    let limit = Int128(TimeSpan.longest.nanoseconds) * 1_000_000_000
    return ErasedClock(
      now: {
        let elapsed = start.duration(to: clock.now).attoseconds
        // A clock that ran backwards, or for centuries, is clamped (contract law 11).
        guard elapsed >= 0 else { return .zero }
        guard elapsed < limit else { return Instant(nanoseconds: TimeSpan.longest.nanoseconds) }
        return Instant(nanoseconds: TimeSpan.nanoseconds(elapsed))
      },
      sleep: { instant in
        try await clock.sleep(
          until: start.advanced(by: .nanoseconds(instant.nanoseconds)),
          tolerance: nil
        )
      }
    )
  }

  #if canImport(Glibc)
  /// The time of `ContinuousClock` on Linux, read directly in nanoseconds.
  ///
  /// Converting the 128 bits of attoseconds of that clock takes as long as reading it.
  private static func sinceBoot() -> @Sendable () -> Instant {
    let start = nanosecondsSinceBoot()
    return { Instant(nanoseconds: max(0, nanosecondsSinceBoot() - start)) }
  }

  @inline(__always)
  private static func nanosecondsSinceBoot() -> Int64 {
    var time = timespec()
    // The call fails only for clocks that do not exist.
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
  #endif
}

/// The clock of a client, for code that waits with the client; a cancelled sleep leaves nothing
/// behind, see `Deadlines`.
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

    // The result is clamped, because sums of enormous durations must not overflow.
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
