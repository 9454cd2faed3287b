import Synchronization

/// The tasks of a fetch or of a mutation run, one after the other, all in the context of the caller
/// that started it.
///
/// Each attempt, or stage of a run, is its own task. The next task is made by code with the right
/// context: the task before it, or the caller whose transaction started the work. If that code has
/// the work already, it starts the task directly; otherwise it makes a ``PreparedTask``.
// Each job has one chain, in a separate object: with a common superclass, Swift 6.3 gives the jobs wrong
// metadata in optimized builds, and a noncopyable struct fails to compile.
final class TaskChain: Sendable {
  private enum Link: Sendable {
    case none
    case task(Task<Void, any Error>)
    case slot(PreparedTask.Slot)

    func cancel() {
      switch self {
      case .none: break
      case .task(let task): task.cancel()
      case .slot(let slot): slot.cancel()
      }
    }

    func lend(_ priority: WorkPriority, on executor: (any TaskExecutor)?) {
      switch self {
      case .none: break
      case .task(let task): Escalation.lend(priority, to: task, on: executor)
      case .slot(let slot): slot.lend(priority, on: executor)
      }
    }
  }

  private enum End: Comparable {
    case open
    /// No task is started any more, but the last task may be at work.
    case over
    /// All work is done, so there is no task to cancel, or to make more urgent.
    case done
  }

  private struct State {
    /// The task at work, or the last task.
    var present = Link.none
    /// The next task, if it was made in advance.
    var next: PreparedTask?
    /// The number of tasks so far, including those whose handles are still to come.
    var count: UInt64 = 0
    /// How many of the first tasks were cancelled.
    var cancelledCount: UInt64 = 0
    var isCancelled = false
    var end = End.open
    /// The priority of the code that made the chain.
    ///
    /// Stored only if later runs of the same scope compare it, or if raising a task's priority costs an extra
    /// task on this system; otherwise `nil`.
    var own: WorkPriority?
    /// The highest priority of waiting callers, to which tasks are raised, if it exceeds `own`.
    var lent: WorkPriority?

    var priority: WorkPriority? { lent ?? own }
  }

  /// The fetch or the run.
  let work: WorkID
  private let state: Mutex<State>
  /// Knows the task that is running for the chain, and whether the work has ended; ``WorkWait`` reads it.
  let lifecycle = TaskLifecycle()

  /// Creates the chain for a job of the present caller.
  ///
  /// - Parameters:
  ///   - work: The fetch or the run.
  ///   - isCompared: Whether other work reads the priority of the chain. The priority is also stored on
  ///     systems where lending one costs a task, so that lending happens only if necessary.
  init(of work: WorkID, isCompared: Bool = false) {
    self.work = work
    let isNoted = isCompared || !Escalation.isNative
    state = Mutex(State(own: isNoted ? .current : nil))
  }

  /// The priority of the work, if it is known.
  var priority: WorkPriority? { state.withLock { $0.priority } }

  /// Raises the task at work, and those that follow, at least to a priority.
  func lend(_ priority: WorkPriority, on executor: (any TaskExecutor)?) {
    let link = state.withLock { state -> Link in
      if let present = state.priority, present >= priority { return .none }
      state.lent = priority
      return state.present
    }
    link.lend(priority, on: executor)
  }

  /// Registers a task to be made in advance; call it under the cache's lock.
  ///
  /// - Returns: The prepared task, which the caller has to start outside the lock; `nil` if there is one
  ///   already, or if the chain is over.
  func prepareTask() -> PreparedTask? {
    state.withLock { state in
      guard state.end == .open, state.next == nil else { return nil }
      let prepared = PreparedTask()
      state.next = prepared
      return prepared
    }
  }

  /// Takes over the prepared task and the lent priority of the chain that this chain replaces.
  func takeOver(from former: TaskChain) {
    let (prepared, lent) = former.state.withLock { ($0.next.take(), $0.lent) }
    state.withLock { state in
      state.next = prepared
      state.lent = lent
    }
  }

  /// Gives the work to the task that was made in advance, if there is one.
  ///
  /// - Returns: The number of a task that the caller has to make in its own context, and to pass to
  ///   ``attach(_:_:on:)``; `nil` if a task was made in advance, or if the chain is over. This method does
  ///   not make the task, because passing a closure on would cost an allocation.
  func needsTask(on executor: (any TaskExecutor)?, for work: () -> PreparedTask.Work) -> UInt64? {
    let (prepared, number) = state.withLock { state -> (PreparedTask?, UInt64?) in
      let prepared = state.next.take()
      guard state.end == .open else { return (prepared, nil) }
      state.count += 1
      return (prepared, state.count)
    }
    guard let number, let prepared else { return number }
    attach(.slot(prepared.slot), number, on: executor)
    prepared.slot.give(work())
    return nil
  }

  /// Takes the handle of a task that was just made.
  ///
  /// If the thread that made the task is slow, the task may be done already, and the next one at work. Then
  /// the handle of the former task is not kept.
  func attach(_ task: Task<Void, any Error>, _ number: UInt64, on executor: (any TaskExecutor)?) {
    attach(.task(task), number, on: executor)
  }

  /// Takes the task that is now at work, and applies earlier cancellations and priorities to it.
  private func attach(_ link: Link, _ number: UInt64, on executor: (any TaskExecutor)?) {
    let (isCancelled, lent, old) = state.withLock { state -> (Bool, WorkPriority?, Link) in
      let isCancelled = state.isCancelled || number <= state.cancelledCount
      guard number == state.count else { return (isCancelled, nil, .none) }
      let old = state.present
      state.present = state.end == .done ? .none : link
      return (isCancelled, state.lent, old)
    }
    if isCancelled { link.cancel() }
    if let lent { link.lend(lent, on: executor) }
    // The handle of the former task is released outside the lock.
    _ = old
  }

  /// Cancels the task at work, and later ones.
  ///
  /// This calls cancellation handlers, which are user code, so do not call it under a lock.
  func cancel() {
    takePresent {
      $0.isCancelled = true
      $0.cancelledCount = $0.count
    }.cancel()
  }

  /// Cancels the task at work, and no later ones.
  ///
  /// This calls cancellation handlers, which are user code, so do not call it under a lock.
  func cancelPresent() {
    takePresent { $0.cancelledCount = $0.count }.cancel()
  }

  /// Lets the tasks that are made from now on run, although earlier tasks were cancelled.
  func renew() {
    _ = takePresent { $0.isCancelled = false }
  }

  /// Takes the task at work out, to be cancelled or released outside the lock.
  private func takePresent(_ change: (inout State) -> Void) -> Link {
    state.withLock { state in
      change(&state)
      defer { state.present = .none }
      return state.present
    }
  }

  /// Ends the chain: no task is started any more, not even for earlier requests.
  ///
  /// - Returns: The prepared task. Release it outside the cache's lock; then its task ends.
  func end() -> PreparedTask? {
    state.withLock { state in
      state.end = max(state.end, .over)
      return state.next.take()
    }
  }

  /// Ends the chain after all work is done: no task is started any more, and the last one is
  /// released.
  func endAfterWork(into garbage: inout Garbage) {
    state.withLock { state in
      state.end = .done
      garbage.collect(value: state.present)
      garbage.collect(state.next.take())
      state.present = .none
    }
  }
}

/// The task that is at work for a fetch or a run.
///
/// For a fetch, this also tells whether the fetch is over, and whether it ever waited for other work.
///
/// Most fetches never wait. When such a fetch ends, the graph of waits is not searched.
struct TaskLifecycle: ~Copyable, Sendable {
  private static let over: UInt8 = 1
  private static let involved: UInt8 = 2

  private let bits = Atomic<UInt8>(0)
  /// The number of the task at work.
  ///
  /// The number is unique, because the task exists while the number is stored.
  private let performer = Atomic<Int>(0)

  /// The number of the present task; 0 without a task.
  ///
  /// The bytes of a task are a reference, and make the number. A hash value would take four times
  /// as long.
  private static var presentTask: Int {
    withUnsafeCurrentTask { task in
      withUnsafeBytes(of: task) {
        $0.count == MemoryLayout<Int>.size ? $0.load(as: Int.self) : task?.hashValue ?? 0
      }
    }
  }

  /// Records that the present task is at work.
  borrowing func taskBegan() { performer.store(Self.presentTask, ordering: .relaxed) }

  /// Records that the present task is done.
  ///
  /// If its attempt timed out, the task of the next attempt may already be at work; then this call changes
  /// nothing.
  borrowing func taskEnded() {
    _ = performer.compareExchange(expected: Self.presentTask, desired: 0, ordering: .relaxed)
  }

  /// Whether the present task is the task at work, and not a task that the task at work started.
  var isPerformedHere: Bool {
    let performer = performer.load(ordering: .relaxed)
    return performer != 0 && performer == Self.presentTask
  }

  /// Whether the fetch is over.
  var isOver: Bool { bits.load(ordering: .acquiring) & Self.over != 0 }

  /// Records that the fetch waits for other work.
  ///
  /// - Returns: Whether the fetch is over already.
  borrowing func markWaiting() -> Bool {
    bits.bitwiseOr(Self.involved, ordering: .acquiringAndReleasing).oldValue & Self.over != 0
  }

  /// Records that the fetch is over.
  ///
  /// - Returns: Whether the fetch ever waited.
  borrowing func markOver() -> Bool {
    bits.bitwiseOr(Self.over, ordering: .acquiringAndReleasing).oldValue & Self.involved != 0
  }
}

/// Raises the priority of tasks that more urgent callers wait for.
enum Escalation {
  /// Whether the system has a call that raises the priority of a task.
  static var isNative: Bool {
    if #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) { true } else { false }
  }

  /// Raises a task at least to a priority.
  static func lend(
    _ priority: WorkPriority,
    to task: Task<Void, any Error>,
    on executor: (any TaskExecutor)?
  ) {
    if #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *) {
      task.escalatePriority(to: priority.taskPriority)
    } else {
      lendByWaiting(priority, to: task, on: executor)
    }
  }

  /// Raises a task on systems without such a call: a task of that priority awaits its value, which
  /// lends the priority on every system.
  static func lendByWaiting(
    _ priority: WorkPriority,
    to task: Task<Void, any Error>,
    on executor: (any TaskExecutor)?
  ) {
    _ = Task.detached(on: executor, priority: priority.taskPriority) {
      _ = await task.result
    }
  }
}
