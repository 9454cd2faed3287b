import Synchronization

/// The sleeping tasks of a client, for the earliest of all its deadlines.
///
/// A task sleeps, tells, and rests until it is armed again, so that one deadline after the other
/// starts no task of its own. Who sleeps until when is decided by ``WakePlan``: an earlier deadline gets a
/// sleeper of its own, and the later one sleeps on.
final class WakeTimer: Sendable {
  /// What a task sleeps by, and whom it tells.
  struct Work: Sendable {
    /// Sleeps until a moment.
    var sleep: @Sendable (_ until: Moment) async throws -> Void
    /// Told that the time of a deadline may have come; arms again what is not due yet.
    var onWake: @Sendable () -> Void
    /// The clock threw time and again, and nobody sleeps for the deadline any more; `isNews` if it
    /// has not been told since a sleep succeeded.
    var onFailure: @Sendable (_ error: any Error, _ isNews: Bool) -> Void
  }

  private struct State {
    var plan = WakePlan()
    /// Those that the plan knows; one that has just been started may be missing.
    var tasks: [WakePlan.TaskID: Task<Void, Never>] = [:]
    /// The wait of the task that rests.
    var resting: UnsafeContinuation<Moment?, Never>?
  }

  private let state = Mutex(State())

  /// Sees to it that somebody is told at a moment.
  ///
  /// - Parameters:
  ///   - moment: The deadline.
  ///   - now: The present time.
  ///   - executor: Where sleeping tasks run.
  ///   - makeWork: Makes what a task does; called only if one has to be started.
  func arm(
    _ moment: Moment,
    at now: Moment,
    executor: (any TaskExecutor)?,
    _ makeWork: () -> Work
  ) {
    let (arming, resting) = state.withLock {
      state -> (WakePlan.Arming, UnsafeContinuation<Moment?, Never>?) in
      let arming = state.plan.armed(moment, at: now)
      guard case .reuse = arming else { return (arming, nil) }
      return (arming, state.resting.take())
    }
    switch arming {
    case .covered: return
    case .reuse(_, let until): resting?.resume(returning: until)
    case .begin(let id, let until):
      // Detached: it serves the client, not whoever asked for the deadline.
      let task = Task.detached(executorPreference: executor) { [work = makeWork()] in
        await self.run(id, until: until, work)
      }
      let isOver = state.withLock { state in
        // Unknown, it has slept and ended already.
        if state.plan.knows(id) { state.tasks[id] = task }
        return state.plan.isOver
      }
      if isOver { task.cancel() }
    }
  }

  /// Sleeps, tells and rests, again and again.
  private func run(_ id: WakePlan.TaskID, until first: Moment, _ work: Work) async {
    var next: Moment? = first
    while let moment = next {
      do {
        try await work.sleep(moment)
        // Before it is told: what is armed in answer must not count on this sleeper any more.
        guard state.withLock({ $0.plan.woke(id) }) else { return }
        work.onWake()
        next = await rest(id)
      } catch {
        switch state.withLock({ $0.plan.failed(id) }) {
        case .again(let moment): next = moment
        case .givenUp(let isNews):
          work.onFailure(error, isNews)
          next = await rest(id)
        case .over: return
        }
      }
    }
  }

  /// Waits to be armed again; `nil` if another task does already or the timer is over.
  private func rest(_ id: WakePlan.TaskID) async -> Moment? {
    await withUnsafeContinuation { continuation in
      let (isResting, task) = state.withLock { state in
        guard state.plan.rested(id) else { return (false, state.tasks.removeValue(forKey: id)) }
        state.resting = continuation
        return (true, nil)
      }
      // Let go of outside the lock.
      _ = task
      if !isResting { continuation.resume(returning: nil) }
    }
  }

  /// Ends all tasks; nothing is armed any more.
  func cancel() {
    let (tasks, resting) = state.withLock { state in
      state.plan.ended()
      defer { state.tasks = [:] }
      return (state.tasks, state.resting.take())
    }
    for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
    resting?.resume(returning: nil)
  }
}
