/// One change of the state under the lock: the environment at that time, and the references to release after
/// it.
///
/// Values, errors and closures belong to users, and their `deinit` may run users' code. So replaced
/// references are collected here and released after the lock.
struct Transaction: Sendable {
  /// The environment at the time of the transaction; set once the lock is held.
  var environment: Environment
  /// Whether a caller waits for the fetches that the transaction starts; such fetches retry only if an option
  /// says so.
  var isImperative = false
  /// The priority of the caller; `nil` until it is looked up.
  private var knownPriority: WorkPriority?
  /// The caller's setting for fetches, in addition to its query.
  var setting: FetchSetting?
  /// The work that makes the transaction, if it is not the work of the present task.
  private let otherCaller: TaskChain?
  /// The fetch or the run from which the call was made.
  ///
  /// Looking it up takes time, so it is read only where a caller begins to wait.
  var caller: TaskChain? { otherCaller ?? TaskChain.current }
  /// The priority of the caller; it is looked up only once, because that takes time.
  var priority: WorkPriority {
    mutating get {
      let priority = knownPriority ?? .current
      knownPriority = priority
      return priority
    }
  }
  /// The number of evaluations of dynamic options that led to this transaction; `nil` stands for
  /// ``ReevaluationDepth/current``.
  var reevaluationDepth: Int?
  /// The action that the caller itself performs after the lock is released.
  private(set) var callerAction: CallerAction?
  var garbage = Garbage()

  init(environment: Environment = Environment(now: .never), caller: TaskChain? = nil) {
    self.environment = environment
    otherCaller = caller
  }

  mutating func drop(_ reference: consuming Garbage.Reference?) {
    garbage.collect(consume reference)
  }

  /// Puts a reference in the place of another one, and drops that.
  @inline(__always)
  mutating func replace<Object: AnyObject & Sendable>(
    _ present: inout Object?,
    by next: Object?
  ) {
    drop(present)
    present = next
  }
}

extension Transaction {
  /// Asks the caller to make the next task of a fetch or a run, unless that was already done.
  mutating func prepareTask(_ tasks: TaskChain) {
    if let prepared = tasks.prepareTask() { addCallerAction(.prepareTask(prepared)) }
  }

  /// Makes work as urgent as a task that waits for it or observes its result: a task of the given priority
  /// or, if that is `nil`, the caller.
  mutating func lend(to tasks: TaskChain, _ priority: WorkPriority? = nil) {
    addCallerAction(.lend(tasks, priority))
  }

  /// Adds an action for the caller.
  ///
  /// Most transactions have no such action, and nearly all others have one, so only several need an array.
  private mutating func addCallerAction(_ callerAction: CallerAction) {
    switch self.callerAction.take() {
    case nil: self.callerAction = callerAction
    case .several(var callerActions):
      callerActions.append(callerAction)
      self.callerAction = .several(callerActions)
    case let first?: self.callerAction = .several([first, callerAction])
    }
  }
}

/// The time as it was read outside the lock.
struct ClockReading: Sendable {
  var instant: Instant
  /// Seconds since the reference date; `nil` if the wall clock was not read.
  var date: Double?
}

/// The number of evaluations of dynamic options that led to the current code.
///
/// The result of an option may change the entry, and then the options are evaluated again. An option that has
/// another result each time, or writes to the cache, must not cause evaluations for ever.
enum ReevaluationDepth {
  static let limit = 3

  @TaskLocal static var current = 0
}
