import Synchronization

/// The deadlines of a client: one heap, and a few sleeping tasks for all of them.
///
/// Use them in code that works with a client and limits how long it waits. A sleeping task for each wait is
/// costly, and the runtime keeps a cancelled `Task.sleep` until its original time: half a kilobyte for each
/// call that was answered in time. A cancelled deadline leaves nothing behind.
///
/// ```swift
/// let deadline = client.deadlines.set(after: .seconds(2)) { print("late") }
/// deadline?.cancel()
/// ```
///
/// The time is that of the client's clock, also after the client was shut down.
@_spi(Adapters) public final class Deadlines: Sendable {
  // `DeadlineTable` keeps the deadlines, and `WakeTimer` waits for them.

  /// The work to do when a deadline is due; it gets an error if the clock failed before that.
  ///
  /// The work must be quick, and runs in a task without task-locals.
  typealias Work = @Sendable (_ failure: (any Error)?) -> Void

  /// The deadlines that clients of this process share, by `ContinuousClock`.
  static let shared = Deadlines(clock: ErasedClock(ContinuousClock()), executor: nil)

  /// A clock with the time of `ContinuousClock`, on which a sleep that is cancelled leaves nothing behind.
  package static let continuousClock: any Clock<Duration> = DeadlineClock(deadlines: shared)

  let clock: ErasedClock
  private let executor: (any TaskExecutor)?
  private let table = Mutex(DeadlineTable<Work>())
  private let timer = WakeTimer()

  /// Creates a table without deadlines.
  ///
  /// - Parameters:
  ///   - clock: The clock of the deadlines.
  ///   - executor: The executor of the sleeping tasks and of the work.
  init(clock: ErasedClock, executor: (any TaskExecutor)?) {
    self.clock = clock
    self.executor = executor
  }

  deinit {
    timer.cancel()
  }

  /// The number of deadlines.
  var count: Int { table.withLock { $0.count } }

  /// Sets a deadline.
  ///
  /// - Parameters:
  ///   - duration: The time from now, rounded up to nanoseconds; zero or less is as soon as possible.
  ///   - work: Called once, outside of locks, in a task without task-locals, unless the deadline is
  ///     cancelled before. It must be quick, because others may be due at the same time.
  /// - Returns: The deadline; `nil` for a duration of more than 100 years, because that means never.
  /// - Complexity: O(log *n*) in the number of deadlines.
  public func set(
    after duration: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> Deadline? {
    set(TimeSpan.roundingUp(duration), work)
  }

  /// Sets a deadline.
  ///
  /// - Parameters:
  ///   - span: The time from now.
  ///   - work: Called at that time, unless the deadline is cancelled before.
  /// - Returns: The deadline; `nil` if the span is infinite.
  package func set(_ span: TimeSpan, _ work: @escaping @Sendable () -> Void) -> Deadline? {
    let now = clock.now()
    guard let instant = now + span else { return nil }
    return set(instant, at: now) { failure in if failure == nil { work() } }
  }

  /// Sets a deadline at an instant.
  ///
  /// - Parameters:
  ///   - instant: The time; one that has passed is as soon as possible.
  ///   - work: Called at that time, unless the deadline is cancelled before.
  /// - Returns: The deadline.
  @discardableResult
  func set(at instant: Instant, _ work: @escaping @Sendable () -> Void) -> Deadline {
    set(instant, at: clock.now()) { failure in if failure == nil { work() } }
  }

  private func set(_ instant: Instant, at now: Instant, _ work: @escaping Work) -> Deadline {
    let (id, arms) = table.withLock { $0.set(instant, work) }
    if let arms { arm(arms, at: now) }
    return Deadline(deadlines: self, id: id)
  }

  func cancel(_ id: DeadlineTable<Work>.ID) {
    let work = table.withLock { $0.cancel(id) }
    withExtendedLifetime(work) {}
  }

  private func arm(_ instant: Instant, at now: Instant) {
    timer.arm(instant, at: now, executor: executor) {
      WakeTimer.Work(
        sleep: clock.sleep,
        onWake: { [weak self] in self?.woke() },
        onFailure: { [weak self] error, _ in self?.clockFailed(error) }
      )
    }
  }

  private func woke() {
    var hasMore = true
    while hasMore {
      let now = clock.now()
      let reached = table.withLock { $0.woke(at: now, limit: 1_000) }
      hasMore = reached.hasMore
      // The next deadline is armed first: the work that is due now may take a while, and must not
      // delay other deadlines.
      if let next = reached.next { arm(next, at: now) }
      for work in reached.due { work(nil) }
    }
  }

  private func clockFailed(_ error: any Error) {
    for work in table.withLock({ $0.failed() }) { work(error) }
  }
}

extension Deadlines {
  /// Sleeps until an instant.
  ///
  /// - Parameter instant: The time to wake.
  /// - Throws: `CancellationError` at once if the task is cancelled; the error of a clock that fails.
  func sleep(until instant: Instant) async throws {
    try Task.checkCancellation()
    let now = clock.now()
    // A sleep until a time that has passed only lets other tasks run.
    guard instant > now else { return try await clock.sleep(instant) }
    let wait = SharedOneShot<Result<Void, any Error>>()
    let deadline = set(instant, at: now) { failure in
      wait.give(failure.map { .failure($0) } ?? .success(()))
    }
    let result = await withTaskCancellationHandler {
      await wait.wait()
    } onCancel: {
      deadline.cancel()
      wait.give(.failure(CancellationError()))
    }
    try result?.get()
  }

  /// Sleeps for a time, or until the task is cancelled.
  ///
  /// - Parameter duration: The time.
  /// - Returns: Whether the time is over.
  package func sleep(for duration: Duration) async -> Bool {
    let end = clock.now() + TimeSpan(TimeSpan.roundingUp(duration).duration)
    return (try? await sleep(until: end ?? Instant(nanoseconds: .max))) != nil
  }
}

/// A time at which something happens, unless it is cancelled before; see `Deadlines`.
@_spi(Adapters) public struct Deadline: Sendable {
  let deadlines: Deadlines
  let id: DeadlineTable<Deadlines.Work>.ID

  /// Cancels the deadline, and releases the work; does nothing if the time has come.
  ///
  /// - Complexity: O(log *n*) in the number of deadlines.
  public func cancel() { deadlines.cancel(id) }
}
