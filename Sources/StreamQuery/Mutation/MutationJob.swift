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
  /// The wait of another run's piece for this run.
  let caller: MutationWait?
  private let turnstiles = Mutex<(before: Turnstile?, own: Turnstile)?>(nil)
  private let handle = Mutex(Handle.none)

  /// The run whose work or callbacks the present task belongs to.
  @TaskLocal static var current: MutationJob?

  init(
    id: MutationID,
    plan: ResolvedMutation,
    input: ValueBox,
    submittedAt: Timestamp,
    caller: MutationWait? = nil
  ) {
    self.id = id
    self.plan = plan
    self.input = input
    self.submittedAt = submittedAt
    self.caller = caller
  }

  /// Has the next attempt begin after that of the run before it in a line; says what those behind
  /// it have to pass.
  func lineUp(behind before: Turnstile?) -> Turnstile {
    let own = Turnstile()
    turnstiles.withLock { $0 = (before, own) }
    return own
  }

  /// Waits until those before it in a line have begun.
  func beginInLine() async {
    guard let (before, own) = turnstiles.withLock({ $0.take() }) else { return }
    await before?.pass()
    own.open()
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
