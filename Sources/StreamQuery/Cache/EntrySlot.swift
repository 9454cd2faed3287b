/// An entry as stored in the cache: the machine, and what machines must not hold.
struct EntrySlot {
  /// `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The newest plan that was given; a plan that can fetch has precedence.
  var plan: ResolvedPlan?
  /// The fetch in flight.
  var job: FetchJob?
  /// The current state; `nil` until somebody looks.
  var frame: Frame?
  /// What most entries do not need: an array of at most one element, so that they pay one word for
  /// all of it.
  var company: [Company] = []
  /// Counts changes: an answer from a closure is void if the revision has changed.
  var revision: UInt32 = 0
  /// The entry's position among the entries that are observed or fetching, -1 if it is not one of
  /// them; while the slot is free, the next free slot.
  var livePosition: Int32 = -1
  /// The number of the entry, which no other one ever has.
  var generation: UInt64 = 0

  /// What an entry needs once it is observed, is waited for, or has failed.
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

    /// Whether it holds nothing.
    var isEmpty: Bool {
      consumers.isEmpty && waiters.isEmpty && layers.isEmpty
        && dynamicCount == 0 && askRound == 0 && waiterRound == 0 && goneWaiters == 0
        && error == nil && failureReason == nil && reasonBefore == nil && starter == nil
        && previousFrame == nil && shown == nil && shelved == nil && beginning == nil
        && pageCount == nil
    }
  }

  /// Whether a new plan replaces the current one: not if only the current one can fetch.
  @inline(__always)
  func takes(_ plan: ResolvedPlan) -> Bool { plan.fetch != nil || self.plan?.fetch == nil }

  /// Hands out all user objects before the slot is emptied.
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

  /// Gives the slot back, after all user objects were handed out.
  ///
  /// - Parameter next: The slot that was given back before this one.
  mutating func vacate(next: Int32) {
    machine = EntryMachine(at: .zero)
    if job != nil { job = nil }
    if !company.isEmpty { company = [] }
    revision = 0
    livePosition = next
  }

  // MARK: Values

  /// The data that observers see.
  var visible: ValueBox? { shown ?? data }

  /// Stores data, replacing the previous data and its error.
  mutating func store(_ box: ValueBox, _ turn: inout Turn) {
    turn.drop(data.take())
    data = box
    guard !company.isEmpty, company[0].error != nil else { return }
    turn.drop(company[0].error.take())
  }

  /// From now on, cancelling the fetch in flight restores the newest failure as it is now.
  mutating func keepReason(_ turn: inout Turn) {
    guard !company.isEmpty else { return }
    if company[0].reasonBefore != nil { turn.drop(company[0].reasonBefore.take()) }
    company[0].reasonBefore = company[0].failureReason
  }
}
