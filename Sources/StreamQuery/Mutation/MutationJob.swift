import Synchronization

/// A run at work: what its tasks need, and the handle of the one that is at work.
///
/// The machine knows a run by its number; this is the number's other half, in the shell.
final class MutationJob: Sendable {
  private enum Handle {
    case none
    case task(Task<Void, Never>)
    case cancelled
  }

  let id: MutationID
  let plan: ResolvedMutation
  let input: ValueBox
  let submittedAt: Timestamp
  let saved = SavedValues()
  private let handle = Mutex(Handle.none)

  /// The run whose work or callbacks the present task belongs to.
  @TaskLocal static var current: MutationJob?

  init(id: MutationID, plan: ResolvedMutation, input: ValueBox, submittedAt: Timestamp) {
    self.id = id
    self.plan = plan
    self.input = input
    self.submittedAt = submittedAt
  }

  /// Takes the handle of the task at work; cancels it if the job was cancelled meanwhile.
  func attach(_ task: Task<Void, Never>) {
    let isCancelled = handle.withLock { handle in
      if case .cancelled = handle { return true }
      handle = .task(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task at work.
  ///
  /// Cancellation handlers are user code: never under a lock.
  func cancel() {
    let task: Task<Void, Never>? = handle.withLock { current in
      defer { current = .cancelled }
      if case .task(let task) = current { return task }
      return nil
    }
    task?.cancel()
  }

  /// From here on tasks are not cancelled any more: the callbacks of a cancelled run have to do
  /// their work.
  func renew() {
    handle.withLock { $0 = .none }
  }
}
