import Synchronization

/// The long-lived tasks of a client, cancelled together.
final class TaskBag: Sendable {
  private struct State {
    var tasks: [Task<Void, Never>] = []
    var isCancelled = false
  }

  private let state = Mutex(State())

  func append(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.tasks.append(task) }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
