import Synchronization

/// The sleeping tasks of a client, for the earliest of all its deadlines.
///
/// A task sleeps, notifies, and rests until it is armed again, so that consecutive deadlines share
/// a task. ``WakePlan`` decides which task sleeps until when: an earlier deadline gets its own
/// sleeper, and the later one keeps sleeping.
final class WakeTimer: Sendable {
  /// The work of a task: its sleep and its notifications.
  struct Work: Sendable {
    /// Sleeps until an instant.
    var sleep: @Sendable (_ until: Instant) async throws -> Void
    /// Called when a deadline may be due; arms the next one.
    var onWake: @Sendable () -> Void
    /// Called after the clock threw repeatedly, when no task sleeps for the deadline any more; `isNews`
    /// says whether it is the first such call since a sleep succeeded.
    var onFailure: @Sendable (_ error: any Error, _ isNews: Bool) -> Void
  }

  private struct State {
    var plan = WakePlan()
    /// The tasks that the plan knows; one that has just been started may be missing.
    var tasks: [WakePlan.TaskID: Task<Void, Never>] = [:]
    /// The wait of the resting task.
    var resting: SharedOneShot<Instant>?
  }

  private let state = Mutex(State())

  /// Ensures a wake-up at an instant.
  ///
  /// - Parameters:
  ///   - instant: The time of the deadline.
  ///   - now: The current time.
  ///   - executor: The executor of the sleeping tasks.
  ///   - makeWork: Makes the work of a task; called only if a task has to be started.
  func arm(
    _ instant: Instant,
    at now: Instant,
    executor: (any TaskExecutor)?,
    _ makeWork: () -> Work
  ) {
    let (arming, resting) = state.withLock {
      state -> (WakePlan.Arming, SharedOneShot<Instant>?) in
      let arming = state.plan.armed(instant, at: now)
      guard case .reuse = arming else { return (arming, nil) }
      return (arming, state.resting.take())
    }
    switch arming {
    case .covered: return
    case .reuse(_, let until): resting?.give(until)
    case .begin(let id, let until):
      // The task is detached, because it serves the client and not the caller that armed the
      // deadline.
      let task = Task.detached(on: executor) { [work = makeWork()] in
        await self.run(id, until: until, work)
      }
      let isOver = state.withLock { state in
        // A task that the plan does not know has already slept and ended.
        if state.plan.knows(id) { state.tasks[id] = task }
        return state.plan.isOver
      }
      if isOver { task.cancel() }
    }
  }

  /// Sleeps, notifies and rests, repeatedly.
  private func run(_ id: WakePlan.TaskID, until first: Instant, _ work: Work) async {
    var next: Instant? = first
    while let instant = next {
      do {
        try await work.sleep(instant)
        // This comes before the notification: a deadline that is armed in response must not count
        // on this sleeper.
        guard state.withLock({ $0.plan.woke(id) }) else { return }
        work.onWake()
        next = await rest(id)
      } catch {
        switch state.withLock({ $0.plan.failed(id) }) {
        case .again(let instant): next = instant
        case .givenUp(let isNews):
          work.onFailure(error, isNews)
          next = await rest(id)
        case .over: return
        }
      }
    }
  }

  /// Waits to be armed again; `nil` if another task already does or the timer has ended.
  private func rest(_ id: WakePlan.TaskID) async -> Instant? {
    let rest = SharedOneShot<Instant>()
    let (isResting, task) = state.withLock { state in
      guard state.plan.rested(id) else { return (false, state.tasks.removeValue(forKey: id)) }
      state.resting = rest
      return (true, nil)
    }
    // The task is released outside the lock.
    _ = task
    return isResting ? await rest.wait() : nil
  }

  /// Ends all tasks; no deadline can be armed any more.
  func cancel() {
    let (tasks, resting) = state.withLock { state in
      state.plan.ended()
      defer { state.tasks = [:] }
      return (state.tasks, state.resting.take())
    }
    for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
    resting?.close()
  }
}
