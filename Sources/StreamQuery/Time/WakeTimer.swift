import Synchronization

/// The one sleeping task of a client, for the earliest of all its deadlines.
///
/// The task sleeps, fires, and rests until it is armed again, so that one deadline after the other
/// starts no task of its own. Only an earlier deadline than the one that it sleeps for ends it: there
/// is no other way out of a sleep, and a task of the same kind takes its place.
final class WakeTimer: Sendable {
  /// Sleeps until a moment, and says so.
  typealias Wait = @Sendable (_ until: Moment) async throws -> Void

  private struct State {
    var task: Task<Void, Never>?
    /// Tells the present task from those whose place it took.
    var serial = 0
    /// The present task, while it has nothing to sleep for.
    var resting: UnsafeContinuation<Moment?, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Sleeps for an earlier deadline instead of the one before.
  ///
  /// - Parameters:
  ///   - moment: The deadline.
  ///   - executor: Where the sleeping task runs.
  ///   - makeWait: Makes what a task sleeps by; called only if one has to be started.
  func arm(_ moment: Moment, executor: (any TaskExecutor)?, _ makeWait: () -> Wait) {
    let (resting, serial) = state.withLock { state in
      let resting = state.resting.take()
      if resting == nil { state.serial += 1 }
      return (resting, state.isCancelled ? nil : state.serial)
    }
    if let resting { return resting.resume(returning: moment) }
    guard let serial else { return }
    // Detached: it serves the client, not whoever asked for the deadline.
    let task = Task.detached(executorPreference: executor) { [wait = makeWait()] in
      var next: Moment? = moment
      while let moment = next {
        // Thrown: cancelled, since another task sleeps for an earlier deadline.
        guard (try? await wait(moment)) != nil else { return }
        next = await self.rest(serial)
      }
    }
    let old = state.withLock { state -> Task<Void, Never>? in
      guard !state.isCancelled, state.serial == serial else { return task }
      defer { state.task = task }
      return state.task
    }
    old?.cancel()
  }

  /// Waits to be armed again; `nil` if another task has taken the place or the timer is over.
  private func rest(_ serial: Int) async -> Moment? {
    await withUnsafeContinuation { continuation in
      let isResting = state.withLock { state in
        guard !state.isCancelled, state.serial == serial else { return false }
        state.resting = continuation
        return true
      }
      if !isResting { continuation.resume(returning: nil) }
    }
  }

  func cancel() {
    let (task, resting) = state.withLock { state in
      state.isCancelled = true
      return (state.task.take(), state.resting.take())
    }
    task?.cancel()
    resting?.resume(returning: nil)
  }
}
