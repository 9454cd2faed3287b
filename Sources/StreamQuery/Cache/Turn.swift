/// A reference that a turn let go of.
typealias Dropped = any AnyObject & Sendable

/// One entry through the door: the world as it was at the turn, and what the turn let go of.
///
/// Values, errors and closures belong to users, and so does the code of their `deinit`: whatever a
/// turn replaces is collected here and released after the lock (contract law 8).
struct Turn: Sendable {
  /// Set when the turn has the lock.
  var world: World
  /// Whether a caller waits in person: such fetches retry only if told to.
  var isImperative = false
  /// How many pages the caller of this turn asks for, if it gives its plan.
  var pageCount: Int?
  /// The fetch or the run that the call was made from.
  let caller: TaskChain?
  /// How many askings of dynamic options led to this turn; `nil` leaves it to ``AskRound``.
  var askRound: Int?
  /// What is left for the caller to do in person when the lock is open.
  private(set) var duty: CallerDuty?
  private var first: Dropped?
  private var second: Dropped?
  private var rest: [Dropped] = []
  /// Parts of removed keys.
  var remains: [KeyIndex.Remains] = []

  init(world: World = World(now: .never), caller: TaskChain? = nil) {
    self.world = world
    self.caller = caller
  }

  /// How many references the turn let go of: for tests.
  var droppedCount: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) + rest.count }

  mutating func drop(_ reference: consuming Dropped?) {
    // Consumed: what is handed on need not be counted once more.
    guard let reference = consume reference else { return }
    if first == nil {
      first = reference
    } else if second == nil {
      second = reference
    } else {
      rest.append(reference)
    }
  }
}

extension Turn {
  /// Has the caller make the next task of a fetch or a run, unless that was done before.
  mutating func standBy(_ tasks: TaskChain) {
    if let standby = tasks.standBy() { leave(.standBy(standby)) }
  }

  /// Has work be as urgent as the caller, who waits for it or observes what it brings, or as somebody else
  /// who does.
  mutating func lend(to tasks: TaskChain, _ priority: WorkPriority? = nil) {
    leave(.lend(tasks, priority))
  }

  /// Most turns leave none, and nearly all others one.
  private mutating func leave(_ duty: CallerDuty) {
    switch self.duty.take() {
    case nil: self.duty = duty
    case .several(var duties):
      duties.append(duty)
      self.duty = .several(duties)
    case let first?: self.duty = .several([first, duty])
    }
  }
}
