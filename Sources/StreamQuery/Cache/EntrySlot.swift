/// An entry as it lies in the cache: the machine, and beside it what machines must not hold.
struct EntrySlot {
  /// `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The newest plan that was given, preferring one that can fetch.
  var plan: ResolvedPlan?
  /// The fetch in flight.
  var job: FetchJob?
  /// The present state; `nil` until somebody looks.
  var frame: Frame?
  /// What most entries do without: an array of one, so that they pay a word for all of it.
  var company: [Company] = []
  /// Counts changes: what was asked of a closure is void once it moved on.
  var revision: UInt32 = 0
  /// Where the entry stands among the entries that are observed or fetching, -1 for nowhere; while
  /// the slot is free, the next free one.
  var livePosition: Int32 = -1
  /// The number of the entry, which no other one ever has.
  var generation: UInt64 = 0

  /// What an entry needs once it is observed, waited for, or failed.
  struct Company {
    var consumers: [Int32] = []
    var dynamicCount = 0
    var askRound = 0
    var waiters: [Waiter] = []
    var waiterRound: UInt64 = 0
    var goneWaiters = 0
    var error: ErrorBox?
    var failureReason: ErrorBox?
    var reasonBefore: ErrorBox?
    var starter: Waiter?
    var previousFrame: Frame?
    var layers: [LaidLayer] = []
    var shown: LayeredBox?
    var shelved: ValueBox?
    var beginning: Beginning?
    var pageCount: Int?

    /// Whether nothing is kept in it.
    var isEmpty: Bool {
      consumers.isEmpty && waiters.isEmpty && layers.isEmpty
        && dynamicCount == 0 && askRound == 0 && waiterRound == 0 && goneWaiters == 0
        && error == nil && failureReason == nil && reasonBefore == nil && starter == nil
        && previousFrame == nil && shown == nil && shelved == nil && beginning == nil
        && pageCount == nil
    }
  }

  /// Whether a plan that comes replaces the present one: not if only that one can fetch.
  @inline(__always)
  func takes(_ plan: ResolvedPlan) -> Bool { plan.fetch != nil || self.plan?.fetch == nil }

  /// Hands out whatever is the user's, before the slot is emptied.
  mutating func surrender(to turn: inout Turn) {
    turn.drop(data.take())
    turn.drop(plan.take())
    turn.drop(frame.take())
    guard !company.isEmpty else { return }
    turn.drop(company[0].shelved)
    turn.drop(company[0].beginning)
    turn.drop(company[0].error)
    turn.drop(company[0].failureReason)
    turn.drop(company[0].reasonBefore)
    turn.drop(company[0].previousFrame)
  }

  /// Gives the slot back, after all that is the user's was handed out.
  ///
  /// - Parameter next: The slot that was given back before.
  mutating func vacate(next: Int32) {
    machine = EntryMachine(at: .zero)
    if job != nil { job = nil }
    if !company.isEmpty { company = [] }
    revision = 0
    livePosition = next
  }

  // MARK: Values

  /// The data as people see it.
  var visible: ValueBox? { shown ?? data }

  /// Takes data in, instead of what was there and of its error.
  mutating func store(_ box: ValueBox, _ turn: inout Turn) {
    turn.drop(data.take())
    data = box
    guard !company.isEmpty, company[0].error != nil else { return }
    turn.drop(company[0].error.take())
  }

  /// What a cancellation of the fetch in flight leads back to is the newest failure as of now.
  mutating func keepReason(_ turn: inout Turn) {
    guard !company.isEmpty else { return }
    if company[0].reasonBefore != nil { turn.drop(company[0].reasonBefore.take()) }
    company[0].reasonBefore = company[0].failureReason
  }
}
