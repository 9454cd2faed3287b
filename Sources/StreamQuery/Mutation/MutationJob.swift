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
  let input: ValueBox
  let submittedAt: Timestamp
  let saved = SavedValues()
  /// The wait of another run's piece for this run.
  let caller: MutationWait?
  private let present: Mutex<ResolvedMutation>
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
    present = Mutex(plan)
    self.input = input
    self.submittedAt = submittedAt
    self.caller = caller
  }

  /// What the run does and calls: that which it was started with, or what took its place.
  var plan: ResolvedMutation { present.withLock { $0 } }

  /// Puts another plan in the place of the present one.
  ///
  /// - Returns: The old one, whose closures are the user's: it must not be released under a lock.
  func replace(with plan: ResolvedMutation) -> ResolvedMutation {
    present.withLock { present in
      let old = present
      present = plan
      return old
    }
  }

  /// Has the next piece, `onMutate` or an attempt, begin after that of the run before it in a line;
  /// says what those behind it have to pass.
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
