/// A reference that a transaction releases.
typealias Dropped = any AnyObject & Sendable

/// One pass through the lock: the environment at that time, and the references that the transaction
/// releases.
///
/// Values, errors and closures belong to users, and so does the code of their `deinit`. What a
/// transaction replaces is collected here and released after the lock (contract law 8).
struct Transaction: Sendable {
  /// Set when the transaction holds the lock.
  var environment: Environment
  /// Whether a caller waits directly: such fetches retry only if told to.
  var isImperative = false
  /// What the caller of this transaction says about how to fetch, in addition to its query.
  var setting: FetchSetting?
  /// The fetch or the run that the call was made from.
  let caller: TaskChain?
  /// How many evaluations of dynamic options led to this transaction; `nil` uses ``AskRound``.
  var askRound: Int?
  /// What is left for the caller itself to do after the lock is released.
  private(set) var duty: CallerDuty?
  private var first: Dropped?
  private var second: Dropped?
  private var rest: [Dropped] = []
  /// Parts of removed keys.
  var remains: [KeyIndex.Remains] = []

  init(environment: Environment = Environment(now: .never), caller: TaskChain? = nil) {
    self.environment = environment
    self.caller = caller
  }

  /// How many references the transaction releases: for tests.
  var droppedCount: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) + rest.count }

  mutating func drop(_ reference: consuming Dropped?) {
    // Consumed, so that passing it on does not retain it again.
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

extension Transaction {
  /// Asks the caller to make the next task of a fetch or a run, unless that was already done.
  mutating func standBy(_ tasks: TaskChain) {
    if let standby = tasks.standBy() { leave(.standBy(standby)) }
  }

  /// Makes work as urgent as the caller, or another task, that waits for it or observes its result.
  mutating func lend(to tasks: TaskChain, _ priority: WorkPriority? = nil) {
    leave(.lend(tasks, priority))
  }

  /// Most transactions leave none, and nearly all others leave one.
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

/// The time as it was read outside the lock.
struct ClockReading: Sendable {
  var instant: Instant
  /// Seconds since the reference date; `nil` if the wall clock was not read.
  var date: Double?
}

/// How many evaluations of dynamic options led to the current code.
///
/// An answer may change the entry, which is a reason to evaluate again. An option that never
/// settles, or that writes to the cache itself, must not keep this going for ever (contract law 8).
enum AskRound {
  static let limit = 3

  @TaskLocal static var current = 0
}
