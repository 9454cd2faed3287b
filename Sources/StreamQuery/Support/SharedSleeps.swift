import Synchronization

/// Sleeps of many clients on the tasks of one timer.
///
/// The runtime keeps the memory of a cancelled `Task.sleep`, some 800 bytes, until its own deadline. A
/// client sleeps until the end of a retention, minutes away, so that each client that came and went
/// would leave as much. Here the end of a client leaves nothing: the timer sleeps for those that stay.
final class SharedSleeps: Sendable {
  private let clock: ErasedClock
  private let executor: (any TaskExecutor)?
  private let timer = WakeTimer()
  private let table = Mutex(SleeperTable<SuspendedTask<Bool>>())

  /// Creates a timer for which nothing sleeps.
  ///
  /// - Parameters:
  ///   - clock: The clock.
  ///   - executor: Where its task runs.
  init(clock: ErasedClock, executor: (any TaskExecutor)?) {
    self.clock = clock
    self.executor = executor
  }

  deinit {
    timer.cancel()
  }

  /// How many sleep.
  var count: Int { table.withLock { $0.count } }

  /// Sleeps for a time.
  ///
  /// - Parameter time: How long.
  /// - Throws: `CancellationError` at once when the task is or becomes cancelled, and if the clock fails.
  func sleep(for time: TimeSpan) async throws {
    try Task.checkCancellation()
    let deadline = clock.now() + time ?? Instant(nanoseconds: .max)
    let ticket = table.withLock { $0.reserve() }
    let isDue = await withTaskCancellationHandler {
      await SuspendedTask.suspend { task in
        guard table.withLock({ $0.park(task, on: ticket, until: deadline) }) else { return false }
        arm(deadline)
        return nil
      }
    } onCancel: {
      table.withLock { $0.cancel(ticket) }?.resume(returning: false)
    }
    if !isDue { throw CancellationError() }
  }

  private func arm(_ deadline: Instant) {
    timer.arm(deadline, at: clock.now(), executor: executor) {
      WakeTimer.Work(
        sleep: clock.sleep,
        onWake: { [weak self] in self?.wake() },
        onFailure: { [weak self] _, _ in self?.fail() }
      )
    }
  }

  private func wake() {
    let now = clock.now()
    let (due, next) = table.withLock { ($0.takeDue(at: now), $0.next) }
    if let next { arm(next) }
    for task in due { task.resume(returning: true) }
  }

  /// Each client tries again, and reports the failure of its clock.
  private func fail() {
    for task in table.withLock({ $0.takeAll() }) { task.resume(returning: false) }
  }
}
