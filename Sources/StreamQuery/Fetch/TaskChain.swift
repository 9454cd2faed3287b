import Synchronization

/// The tasks that work for a fetch, or for the run of a mutation, one after the other, all in the context
/// of whoever began it.
///
/// An attempt, or a piece of a run, is a task of its own. The one that follows is made where its
/// context is at hand: by the task before it, or by the caller whose turn began the whole. If that is
/// also where it is started, nothing is in between; else a ``Standby`` is.
// An object of its own, although each job has just one: as a superclass of theirs, Swift 6.3 gives the
// jobs wrong metadata in optimized builds, and as a struct that cannot be copied, it fails to compile.
final class TaskChain: Sendable {
  fileprivate enum Link: Sendable {
    case none
    case task(Task<Void, Never>)
    case seat(Standby.Seat)

    func cancel() {
      switch self {
      case .none: break
      case .task(let task): task.cancel()
      case .seat(let seat): seat.cancel()
      }
    }

    func lend(_ priority: WorkPriority, on executor: (any TaskExecutor)?) {
      switch self {
      case .none: break
      case .task(let task): Escalation.lend(priority, to: task, on: executor)
      case .seat(let seat): seat.lend(priority, on: executor)
      }
    }
  }

  private struct State {
    /// What is at work, or was last.
    var present = Link.none
    /// What is to work next, if it was made ahead.
    var next: Standby?
    var isCancelled = false
    var isOver = false
    /// Whether nobody has to reach what is at work any more.
    var isDone = false
    /// The priority of whoever made the chain, where it matters.
    var own: WorkPriority?
    /// The highest priority that others lent, if it is above that.
    var lent: WorkPriority?

    var priority: WorkPriority? { lent ?? own }
  }

  /// What they work for.
  let work: WorkID
  private let state: Mutex<State>
  /// See ``WorkWait``.
  let life = WorkLife()

  /// Creates the chain of a job of the present caller.
  ///
  /// - Parameters:
  ///   - work: What the tasks work for.
  ///   - isCompared: Whether its priority is asked for. It is also noted where lending one costs a task, so
  ///     that none is lent in vain.
  init(of work: WorkID, isCompared: Bool = false) {
    self.work = work
    let isNoted = isCompared || !Escalation.isNative
    state = Mutex(State(own: isNoted ? .current : nil))
  }

  /// How urgent the work is, as far as it is known.
  var priority: WorkPriority? { state.withLock { $0.priority } }

  /// Has the task at work, and those that follow, run with a priority at least.
  func lend(_ priority: WorkPriority, on executor: (any TaskExecutor)?) {
    let link = state.withLock { state -> Link in
      if let present = state.priority, present >= priority { return .none }
      state.lent = priority
      return state.present
    }
    link.lend(priority, on: executor)
  }

  /// Has the next task made ahead; under the cache's lock.
  ///
  /// - Returns: What the caller has to begin when the lock is open; `nil` if somebody else did, or
  ///   nothing follows.
  func standBy() -> Standby? {
    state.withLock { state in
      guard !state.isOver, state.next == nil else { return nil }
      let standby = Standby()
      state.next = standby
      return standby
    }
  }

  /// Takes over what was made ahead for, and lent to, another chain, whose place this one takes.
  func takeOver(from former: TaskChain) {
    let (standby, lent) = former.state.withLock { ($0.next.take(), $0.lent) }
    state.withLock { state in
      state.next = standby
      state.lent = lent
    }
  }

  /// Gives what was made ahead its work, if there is any.
  ///
  /// - Returns: Whether a task has to be made, in the context of the present code, and attached: nothing
  ///   was made ahead, and the chain is not over. Not made here, since closures that are handed on are
  ///   wrapped, and each wrapping is an allocation.
  func needsTask(on executor: (any TaskExecutor)?, for work: () -> Standby.Work) -> Bool {
    let (standby, isOver) = state.withLock { ($0.next.take(), $0.isOver) }
    guard !isOver, let standby else { return !isOver }
    attach(.seat(standby.seat), on: executor)
    standby.seat.give(work())
    return false
  }

  /// Takes the handle of a task that was made just now.
  func attach(_ task: Task<Void, Never>, on executor: (any TaskExecutor)?) {
    attach(.task(task), on: executor)
  }

  /// Takes what is at work now, and makes up for what came before it.
  private func attach(_ link: Link, on executor: (any TaskExecutor)?) {
    let (isCancelled, lent, old) = state.withLock { state in
      let old = state.present
      state.present = state.isDone ? .none : link
      return (state.isCancelled, state.lent, old)
    }
    if isCancelled { link.cancel() }
    if let lent { link.lend(lent, on: executor) }
    // Outside the lock goes the handle of the task before.
    _ = old
  }

  /// Cancels the task at work, and those to come.
  ///
  /// Cancellation handlers are user code: never under a lock.
  func cancel() {
    let link = state.withLock { state in
      state.isCancelled = true
      let link = state.present
      state.present = .none
      return link
    }
    link.cancel()
  }

  /// From here on tasks are not cancelled any more.
  func renew() {
    let old = state.withLock { state in
      state.isCancelled = false
      let old = state.present
      state.present = .none
      return old
    }
    _ = old
  }

  /// Nothing is started any more; what was asked for and not started yet is not either.
  ///
  /// - Returns: What was made ahead: when it is let go of, outside the cache's lock, its task ends.
  func end() -> Standby? {
    state.withLock { state in
      state.isOver = true
      return state.next.take()
    }
  }

  /// All work is done: nothing is started any more, and what was at work last is not held.
  ///
  /// - Returns: What is let go of, outside the cache's lock.
  func finish() -> Remains {
    state.withLock { state in
      state.isOver = true
      state.isDone = true
      let remains = Remains(present: state.present, next: state.next.take())
      state.present = .none
      return remains
    }
  }

  /// What a chain does not need any more.
  final class Remains: Sendable {
    private let present: Link
    private let next: Standby?

    fileprivate init(present: Link, next: Standby?) {
      self.present = present
      self.next = next
    }
  }
}
