internal import Synchronization

/// Where the task of an upstream or a timer will be: it can be cancelled before it exists.
///
/// A turn makes the slot under the storage's lock and creates the task after it, so another turn
/// may give the task up in between.
final class TaskSlot: Sendable {
  private enum State {
    case empty
    case cancelled
    case holding(Task<Void, Never>)
  }

  private let state = Mutex(State.empty)

  /// Puts the task in; cancels it if that was asked for already.
  func attach(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .holding(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task, now or as soon as there is one.
  func cancel() {
    let task = state.withLock { state -> Task<Void, Never>? in
      defer { state = .cancelled }
      guard case .holding(let task) = state else { return nil }
      return task
    }
    task?.cancel()
  }
}
