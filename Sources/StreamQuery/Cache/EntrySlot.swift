/// An entry as stored in the cache: the machine, and what machines must not hold.
struct EntrySlot {
  /// `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The newest plan that was given; a plan that can fetch has precedence.
  var query: ResolvedQuery?
  /// The fetch in flight.
  var job: FetchJob?
  /// The current state; `nil` until somebody looks.
  var snapshot: EntrySnapshot?
  /// What most entries do not need: an array of at most one element, so that they pay one word for
  /// all of it.
  var rareData: [RareData] = []
  /// Counts changes: an answer from a closure is void if the revision has changed.
  var revision: UInt32 = 0
  /// The entry's position among the entries that are observed or fetching, -1 if it is not one of
  /// them; while the slot is free, the next free slot.
  var livePosition: Int32 = -1
  /// The number of the entry, which no other one ever has.
  var generation: UInt64 = 0

  /// What an entry needs once it is observed, is waited for, or has failed.
  struct RareData {
    var observers: [Int32] = []
    var dynamicCount = 0
    var askRound = 0
    var waiters: [Waiter] = []
    var waiterRound: UInt64 = 0
    var goneWaiters = 0
    var error: ErrorBox?
    var failureReason: ErrorBox?
    var reasonBefore: ErrorBox?
    var starter: Waiter?
    var previousSnapshot: EntrySnapshot?
    var layers: [LaidLayer] = []
    var shown: LayeredBox?
    var stashed: ValueBox?
    var beginning: Beginning?
    var pageCount: Int?

    /// Whether it holds nothing.
    var isEmpty: Bool {
      observers.isEmpty && waiters.isEmpty && layers.isEmpty
        && dynamicCount == 0 && askRound == 0 && waiterRound == 0 && goneWaiters == 0
        && error == nil && failureReason == nil && reasonBefore == nil && starter == nil
        && previousSnapshot == nil && shown == nil && stashed == nil && beginning == nil
        && pageCount == nil
    }
  }

  /// Whether a new plan replaces the current one: not if only the current one can fetch.
  @inline(__always)
  func takes(_ query: ResolvedQuery) -> Bool { query.fetch != nil || self.query?.fetch == nil }

  /// Hands out all user objects before the slot is emptied.
  mutating func release(to transaction: inout Transaction) {
    transaction.drop(data.take())
    transaction.drop(query.take())
    transaction.drop(snapshot.take())
    guard !rareData.isEmpty else { return }
    transaction.drop(rareData[0].stashed)
    transaction.drop(rareData[0].beginning)
    transaction.drop(rareData[0].error)
    transaction.drop(rareData[0].failureReason)
    transaction.drop(rareData[0].reasonBefore)
    transaction.drop(rareData[0].previousSnapshot)
  }

  /// Gives the slot back, after all user objects were handed out.
  ///
  /// - Parameter next: The slot that was given back before this one.
  mutating func reset(next: Int32) {
    machine = EntryMachine(at: .zero)
    if job != nil { job = nil }
    if !rareData.isEmpty { rareData = [] }
    revision = 0
    livePosition = next
  }

  // MARK: Values

  /// The data that observers see.
  var visible: ValueBox? { shown ?? data }

  /// Stores data, replacing the previous data and its error.
  mutating func store(_ box: ValueBox, _ transaction: inout Transaction) {
    transaction.drop(data.take())
    data = box
    guard !rareData.isEmpty, rareData[0].error != nil else { return }
    transaction.drop(rareData[0].error.take())
  }

  /// From now on, cancelling the fetch in flight restores the newest failure as it is now.
  mutating func keepReason(_ transaction: inout Transaction) {
    guard !rareData.isEmpty else { return }
    if rareData[0].reasonBefore != nil { transaction.drop(rareData[0].reasonBefore.take()) }
    rareData[0].reasonBefore = rareData[0].failureReason
  }
}
