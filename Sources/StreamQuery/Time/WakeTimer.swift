import Synchronization

/// The one sleeping task of a client, for the earliest of all its deadlines.
final class WakeTimer: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Sleeps for an earlier deadline instead of the one before.
  func arm(
    _ moment: Moment,
    executor: (any TaskExecutor)?,
    _ wait: @escaping @Sendable () async throws -> Void
  ) {
    // Detached: it serves the client, not whoever asked for the deadline.
    let task = Task.detached(executorPreference: executor) {
      // Cancelled means that another task sleeps for an earlier deadline.
      _ = try? await wait()
    }
    let old = state.withLock { state -> Task<Void, Never>? in
      guard !state.isCancelled else { return task }
      defer { state.task = task }
      return state.task
    }
    old?.cancel()
  }

  func cancel() {
    let task = state.withLock { state -> Task<Void, Never>? in
      state.isCancelled = true
      return state.task.take()
    }
    task?.cancel()
  }
}
