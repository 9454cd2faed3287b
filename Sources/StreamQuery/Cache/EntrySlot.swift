/// An entry as stored in the cache: the machine, and the references that machines must not hold.
@dynamicMemberLookup
struct EntrySlot: FreeRows.Row {
  /// The key of the entry; `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The newest query with a fetch function; the newest query of all if none has one.
  var query: StoredQuery?
  /// The fetch in flight.
  var job: FetchJob?
  /// The snapshot of the current state; `nil` until somebody reads the entry.
  var snapshot: EntrySnapshot?
  /// Data that most entries do not need.
  var rareData = Rare<RareData>()
  /// Counts changes: the result of an option closure is ignored if the revision changed during the call.
  var revision: UInt32 = 0
  /// The entry's position among the entries that are observed or fetching; -1 for any other entry.
  ///
  /// While the slot is free, this is the next free slot.
  var livePosition: Int32 = -1
  /// The number of the entry; no other entry ever has the same number.
  var generation: UInt64 = 0

  /// Data of an entry that is or was observed, is waited for, or has failed.
  struct RareData {
    /// The rows of the observers in the ``ObserverTable``.
    var observers: [Int32] = []
    /// The number of observers with dynamic options.
    var dynamicCount: Int32 = 0
    /// The number of waiters that left early and are still in ``waiters``.
    var goneWaiters: Int32 = 0
    /// The number of the queued evaluation of dynamic options in a chain of evaluations, each caused by the
    /// one before; 0 if no evaluation is queued.
    var reevaluationDepth = 0
    var waiters = Few<Waiter>()
    /// The generation of the waiters that still wait; an answered waiter has another one.
    ///
    /// The generation is 0 while nobody waits.
    var waiterGeneration: UInt64 = 0
    /// The error of the last fetch that failed; snapshots have it while the machine is in the error state.
    var error: ErrorBox?
    /// The newest attempt's error; snapshots have it while the machine counts failures.
    var failureReason: ErrorBox?
    /// The newest attempt's error when the fetch in flight started; a cancellation of the fetch restores it.
    var reasonBefore: ErrorBox?
    /// The waiter whose call started the fetch in flight.
    var initiator: Waiter?
    /// The snapshot before the current one, if both have the same data.
    ///
    /// If a change is undone before anybody reads the entry, this snapshot is used again, so that nobody sees
    /// the same state twice.
    var previousSnapshot: EntrySnapshot?
    /// The layers of mutations over the data; the oldest run's is the lowest.
    var layers: [PlacedLayer] = []
    /// The data with its layers; `nil` without layers.
    var shown: LayeredBox?
    /// The data that the fetch in flight hid, to be restored if the fetch is cancelled.
    var stashed: ValueBox?
    /// The initial data that the entry began with; `nil` if it began without.
    var initialState: InitialState?
    /// The fetch setting of the caller whose query the entry took over; `nil` if that caller had none.
    var setting: FetchSetting?
    /// The times of the last and the next refetch for the query's own trigger streams, if one of the streams
    /// is paced.
    var triggerPacing = Rare<TriggerPacing>()
    /// The ``servingRecord``; empty for most entries.
    var serving = Rare<ServingRecord>()

    /// Whether all properties are empty.
    var isEmpty: Bool {
      observers.isEmpty && waiters.isEmpty && layers.isEmpty
        && dynamicCount == 0 && reevaluationDepth == 0 && waiterGeneration == 0 && goneWaiters == 0
        && error == nil && failureReason == nil && reasonBefore == nil && initiator == nil
        && previousSnapshot == nil && shown == nil && stashed == nil && initialState == nil
        && setting == nil && triggerPacing.isEmpty && serving.isEmpty
    }
  }

  /// Whether a new query replaces the current one: always, unless only the current one can fetch.
  @inline(__always)
  func takes(_ query: StoredQuery) -> Bool { query.canFetch || self.query?.canFetch != true }

  /// Takes over the retention of a query, and also its fetch options, unless only the current query can
  /// fetch.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - setting: The setting of a caller; it applies to every refetch until another caller changes it.
  /// - Returns: Whether the caller has to replace the current query by this one.
  mutating func takeOptions(of query: StoredQuery, _ setting: FetchSetting?) -> Bool {
    let isTaken = takes(query)
    machine.adopted(fetchOptions: isTaken ? query.fetchOptions : nil, gcTime: query.gcTime)
    if isTaken { self.setting = setting }
    return isTaken && self.query !== query
  }

  /// Gives all user objects to the transaction, which releases them outside the lock.
  mutating func release(to transaction: inout Transaction) {
    transaction.drop(data.take())
    transaction.drop(query.take())
    transaction.drop(snapshot.take())
    guard !rareData.isEmpty else { return }
    transaction.drop(rareData.value.stashed)
    transaction.drop(rareData.value.initialState)
    transaction.drop(rareData.value.error)
    transaction.drop(rareData.value.failureReason)
    transaction.drop(rareData.value.reasonBefore)
    transaction.drop(rareData.value.previousSnapshot)
  }

  var nextFree: Int32 {
    get { livePosition }
    set { livePosition = newValue }
  }

  /// Resets the slot, after a call of ``release(to:)``.
  mutating func reset() {
    machine = EntryMachine(at: .zero)
    if job != nil { job = nil }
    if !rareData.isEmpty { rareData = Rare() }
    revision = 0
  }

  // MARK: Values

  /// The data that observers see.
  var visible: ValueBox? { self.shown ?? data }

  /// Stores data, replacing the previous data and its error.
  mutating func store(_ box: ValueBox, _ transaction: inout Transaction) {
    transaction.drop(data.take())
    data = box
    guard !rareData.isEmpty, rareData.value.error != nil else { return }
    transaction.drop(rareData.value.error.take())
  }

  /// Keeps the newest failure, to be shown again if the fetch in flight is cancelled.
  mutating func keepReason(_ transaction: inout Transaction) {
    forgetReason(&transaction)
    if !rareData.isEmpty { rareData.value.reasonBefore = rareData.value.failureReason }
  }

  /// Drops the kept failure, so that none is shown again if the fetch in flight is cancelled.
  mutating func forgetReason(_ transaction: inout Transaction) {
    guard !rareData.isEmpty, rareData.value.reasonBefore != nil else { return }
    transaction.drop(rareData.value.reasonBefore.take())
  }
}

// The properties of `RareData`, read as if they were the entry's own.
extension EntrySlot {
  /// A reference that most entries do not have.
  ///
  /// Without rare data, reading it returns `nil`, and setting `nil` allocates nothing.
  subscript<Value>(dynamicMember path: WritableKeyPath<RareData, Value?>) -> Value? {
    @inline(__always) get { rareData.isEmpty ? nil : rareData.value[keyPath: path] }
    @inline(__always) set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData.value[keyPath: path] = newValue
    }
  }

  /// A value that is rare even among the rare data.
  subscript<Value>(dynamicMember path: WritableKeyPath<RareData, Rare<Value>>) -> Value? {
    @inline(__always) get { rareData.isEmpty ? nil : rareData.value[keyPath: path].copy }
    set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData.value[keyPath: path].copy = newValue
    }
  }

  /// A list that is empty for most entries.
  ///
  /// It is changed in place; a setter would copy it.
  subscript<Element>(dynamicMember path: WritableKeyPath<RareData, [Element]>) -> [Element] {
    @inline(__always) get { rareData.isEmpty ? [] : rareData.value[keyPath: path] }
    @inline(__always) _modify {
      makeRareData()
      yield &rareData.value[keyPath: path]
    }
  }

  /// A number that is 0 for most entries.
  subscript<Number: FixedWidthInteger>(
    dynamicMember path: WritableKeyPath<RareData, Number>
  ) -> Number {
    @inline(__always) get { rareData.isEmpty ? 0 : rareData.value[keyPath: path] }
    @inline(__always) _modify {
      makeRareData()
      yield &rareData.value[keyPath: path]
    }
  }

  /// The callers that wait; changed in place.
  var waiters: Few<Waiter> {
    @inline(__always) get { rareData.isEmpty ? Few() : rareData.value.waiters }
    @inline(__always) _modify {
      makeRareData()
      yield &rareData.value.waiters
    }
  }

  private mutating func makeRareData() {
    if rareData.isEmpty { rareData = Rare(RareData()) }
  }

  /// Frees the storage of the rare data if nothing is left in it.
  ///
  /// This saves memory, because most fetched entries are not observed and have no rare data any more.
  mutating func dropEmptyRareData() {
    if !rareData.isEmpty, rareData.value.isEmpty { rareData = Rare() }
  }

  /// Removes all waiters, and the waiter whose call started the fetch.
  mutating func takeWaiters() -> (waiters: Few<Waiter>, initiator: Waiter?) {
    guard !rareData.isEmpty else { return (Few(), nil) }
    var waiters = Few<Waiter>()
    swap(&waiters, &rareData.value.waiters)
    rareData.value.waiterGeneration = 0
    rareData.value.goneWaiters = 0
    return (waiters, rareData.value.initiator.take())
  }

  // These functions change several fields at once, because every access to a row of the cache's tables takes
  // time.

  /// Assigns an empty slot to a new entry.
  mutating func begin(with key: EntryKey, generation: UInt64, at now: Instant) {
    self.key = key
    self.generation = generation
    machine.begin(at: now)
  }

  /// Adds an observer to the list.
  ///
  /// - Returns: Its position.
  mutating func observerCame(_ observer: Int, isDynamic: Bool) -> Int {
    makeRareData()
    if isDynamic { rareData.value.dynamicCount += 1 }
    rareData.value.observers.append(Int32(truncatingIfNeeded: observer))
    return rareData.value.observers.count - 1
  }

  /// Removes the observer at a position of the list.
  ///
  /// - Returns: The observer that moved to this position; `nil` if none did.
  mutating func observerLeft(_ position: Int, isDynamic: Bool) -> Int? {
    if isDynamic { rareData.value.dynamicCount -= 1 }
    let last = rareData.value.observers.removeLast()
    guard position < rareData.value.observers.count else { return nil }
    rareData.value.observers[position] = last
    return Int(last)
  }

  /// Whether the entry is observed.
  var isWatched: Bool { !rareData.isEmpty && !rareData.value.observers.isEmpty }

  /// Whether layers of mutations lie over the data.
  var isLayered: Bool { !rareData.isEmpty && !rareData.value.layers.isEmpty }

  /// Whether the fetch in flight hid data.
  var hasStash: Bool { !rareData.isEmpty && rareData.value.stashed != nil }

  /// The record that decides whether callers get the entry's stale data or its last failure.
  var servingRecord: ServingRecord {
    get { self.serving ?? ServingRecord() }
    set { self.serving = newValue.isEmpty ? nil : newValue }
  }

  /// Whether the entry has a ``servingRecord``.
  @inline(__always)
  var hasServingRecord: Bool { !rareData.isEmpty && !rareData.value.serving.isEmpty }

  /// Whether callers still get the newest failure as their answer.
  ///
  /// As long as they do, the entry stays, even if its retention is over.
  func isFailureKept(at now: Instant) -> Bool {
    guard hasServingRecord, let end = rareData.value.serving.value.failureEnd else { return false }
    return now < end
  }

  /// The instant when the first of the waiting callers gets stale data.
  @inline(__always)
  var softTimeoutEnd: Instant? {
    hasServingRecord ? rareData.value.serving.value.softTimeoutEnd : nil
  }

  /// Whether the ``servingRecord`` has to follow changes: the query has such options, or there is a record.
  @inline(__always)
  var remembersServing: Bool {
    query?.serving != nil || hasServingRecord
  }
}
