internal import Synchronization

/// The task of an upstream or a timer, which can be cancelled before it exists.
///
/// A transaction makes the slot under the storage's lock and creates the task after the unlock, so another
/// transaction may cancel the slot in between.
final class TaskSlot: Sendable {
  private enum State {
    case empty
    case cancelled
    case holding(Task<Void, Never>)
  }

  private let state = Mutex(State.empty)

  /// Stores the task, or cancels it if `cancel()` was called before.
  func attach(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .holding(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task, now or as soon as it is stored.
  func cancel() {
    let task = state.withLock { state -> Task<Void, Never>? in
      defer { state = .cancelled }
      guard case .holding(let task) = state else { return nil }
      return task
    }
    task?.cancel()
  }
}
