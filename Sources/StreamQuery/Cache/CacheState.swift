import Synchronization

/// The whole state behind the cache's lock.
///
/// It is a plain value. Its methods decide nothing that an ``EntryMachine`` could decide. They
/// carry out the machine's decisions on values, waiters and observers. They run under the lock, so
/// the only user code they call is `==` and `hash` of key parts. References that they release go
/// into the ``Transaction``.
struct CacheState: ~Copyable {
  /// Prevents copies of the state's bytes.
  ///
  /// The compiler may copy all bytes of a value for a method that only borrows it. It cannot do so
  /// with a value that contains an atomic.
  private let place = Atomic(false)

  /// Distinguishes the caches of the process.
  let id: UInt64
  var slots = SlotTable()
  var deadlines = CacheDeadlines()
  var observers = ObserverTable()
  var groups = GroupTable()
  var mutations = MutationTable()
  /// The conditions of observers that are being evaluated; `true` if the network or the app came back again
  /// meanwhile.
  var conditions: [RefetchCondition: Bool] = [:]
  var returns = ReturnPacing()
  /// The latest time of any transaction, and the last reports of the network and the app.
  ///
  /// The time never goes back, even if a thread that read the clock earlier takes the lock later.
  var environment: Environment
  /// The defaults for later queries.
  var defaults: StoredDefaults
  /// The queries of entries that began with a write, by value type.
  ///
  /// Under the current defaults, all keys of a type share one query, unless a key has defaults of its own.
  var bareQueries: [ObjectIdentifier: StoredQuery] = [:]
  var reports: CacheReports
  var isShutDown = false
  var actionQueue = ActionQueue<Action>()
  var bounds = CacheBounds()
  /// The callers that wait until no work of the cache goes on.
  var idleWaits = IdleWaits()
  /// The optional mechanisms, of which most caches use none.
  var extensions = CacheExtensions()
  /// Counts the changes of the data in stores, to notice a change while a query is resolved outside the lock.
  var kept = KeptVersion()

  /// Creates the state of an empty cache.
  ///
  /// - Parameters:
  ///   - id: A number that no other cache has.
  ///   - defaults: The defaults of queries.
  ///   - date: The date at the instant zero of the clock, in seconds since the reference date.
  ///   - needs: The needs of listeners for events.
  init(id: UInt64 = 0, defaults: StoredDefaults, date: Double, needs: EventNeeds = .nothing) {
    self.id = id
    self.defaults = defaults
    environment = Environment(now: Timestamp(instant: .zero, date: date))
    reports = CacheReports(needs: needs)
  }

  /// Moves the environment to the time of a transaction, and returns it.
  mutating func environment(at now: ClockReading) -> Environment {
    environment = environmentSeen(at: now)
    advanceReaders(to: environment.now.instant)
    return environment
  }

  // MARK: Entries

  @inline(__always)
  func find(_ key: EntryKey) -> Int? { slots.index(of: key) }

  @inline(__always)
  func find(_ id: EntryID) -> Int? { slots.index(of: id) }

  @inline(__always)
  func id(of index: Int) -> EntryID { slots.id(of: index) }

  /// Makes the entry of a key.
  ///
  /// The query is `nil` only if the entry begins with an optimistic change.
  mutating func entry(
    _ key: EntryKey,
    _ query: StoredQuery?,
    _ transaction: inout Transaction
  ) -> Int {
    let (index, collision) = slots.makeEntry(of: key, at: transaction.environment.now.instant)
    deadlines.makeRoom(for: index)
    if collision.begins { reportCrowd(of: key) }
    announce(.added(index, isCrowded: collision.isTooLarge), &transaction)
    if let query { adopt(index, query, &transaction) }
    emit(.added, index, transaction)
    return index
  }

  /// Reports, once for each combination of users' types, that many keys share one hash.
  private mutating func reportCrowd(of key: EntryKey) {
    guard reports.collisions.insert(key.storage.boxedTypes).inserted else { return }
    actionQueue.enqueue(.crowded(key.key))
  }

  /// Drops an entry that nobody observes.
  mutating func drop(
    _ index: Int,
    reason: QueryEvent.RemovalReason,
    _ transaction: inout Transaction
  ) {
    guard slots[index].key != nil else { return }
    announce(.leaving(index, reason), &transaction)
    emit(.removed(reason), index, transaction)
    let short = Int32(truncatingIfNeeded: index)
    // The index's reference to the key goes to the transaction too, so that the key's last reference is not
    // released under the lock.
    if let key = slots[index].key.take() {
      slots.keys.remove(key.storage, id: short, into: &transaction.garbage)
    }
    deadlines.set(nil, index)
    slots.setLive(false, index)
    removeAllLayers(index, &transaction)
    slots[index].release(to: &transaction)
    slots.free(index)
    if slots.count > bounds.leastSlots, isSparse { bounds.mayShrink = true }
  }

  /// Gives an entry the query with which it fetches from now on, and the retention of this query.
  mutating func adopt(_ index: Int, _ query: StoredQuery, _ transaction: inout Transaction) {
    // A placeholder is for one observer, so the entry takes the query without the placeholder.
    if let plain = query.plain { return adopt(index, plain, &transaction) }
    announce(.adopting(index, query), &transaction)
    if query.serving != nil { startServing() }
    guard slots[index].takeOptions(of: query, transaction.setting) else { return }
    transaction.replace(&slots[index].query, by: query)
    announce(.adopted(index), &transaction)
    // Until now the entry was only written to under its key, so its snapshot lacks the query's feature. The
    // next reader makes a new snapshot.
    if query.feature != nil, let snapshot = slots[index].snapshot, snapshot.feature == nil {
      transaction.drop(snapshot)
      slots[index].snapshot = nil
    }
  }

  /// Replaces the defaults for later queries.
  mutating func replaceDefaults(_ defaults: StoredDefaults, _ transaction: inout Transaction) {
    self.defaults = defaults
    announce(.defaultsReplaced, &transaction)
  }

  // MARK: Values

  /// The data of a key.
  func box(_ key: EntryKey) -> ValueBox? {
    find(key).flatMap { slots[$0].machine.hasData ? slots[$0].data : nil }
  }

  /// The data of an entry.
  func box(_ entry: EntryID) -> ValueBox? {
    find(entry).flatMap { slots[$0].machine.hasData ? slots[$0].data : nil }
  }

  /// The entry's data, even if a fetch has hidden it; a fetch that finds no change returns this data.
  func kept(_ entry: EntryID) -> ValueBox? {
    guard let index = find(entry) else { return nil }
    return slots[index].machine.hasData ? slots[index].data : slots[index].stashed
  }

  /// Whether the data of an entry, if it has any, was neither fetched nor written.
  func isUntouched(_ entry: EntryID) -> Bool {
    find(entry).map { slots[$0].machine.dataUpdateCount == 0 } ?? true
  }

  // MARK: Snapshots

  /// The current snapshot of an entry, for one read.
  ///
  /// An unobserved entry does not store the snapshot; otherwise reading all entries would fill the cache.
  func currentSnapshot(_ index: Int) -> EntrySnapshot {
    slots[index].snapshot ?? slots[index].makeSnapshot(version: 0)
  }

  /// The current snapshot of an entry, for observers; they identify a snapshot by its version.
  mutating func snapshot(_ index: Int) -> EntrySnapshot {
    if let snapshot = slots[index].snapshot { return snapshot }
    slots.snapshotSerial += 1
    let snapshot = slots[index].makeSnapshot(version: slots.snapshotSerial)
    slots[index].snapshot = snapshot
    return snapshot
  }

  /// The version of the current snapshot of an entry.
  mutating func version(_ index: Int) -> UInt64 {
    if let snapshot = slots[index].snapshot { return snapshot.version }
    return snapshot(index).version
  }

  /// Applies a change to the snapshot and wakes the observers that see a difference.
  mutating func refresh(_ index: Int, _ transaction: inout Transaction) {
    slots[index].revision &+= 1
    if slots[index].isLayered { reshow(index, &transaction) }
    guard slots[index].isWatched else { return slots[index].forgetSnapshots(&transaction) }
    let former = emitsEvents ? slots[index].snapshot?.version : nil
    let next = slots.snapshotSerial + 1
    if slots[index].renewSnapshot(version: next, &transaction) { slots.snapshotSerial = next }
    if emitsEvents { tellResults(index, former, transaction) }
    if slots[index].dynamicCount > 0 { reevaluate(index, transaction) }
    wake(index)
  }

  /// Evaluates the dynamic options after a change, unless their own results keep causing changes.
  ///
  /// One evaluation serves all changes before it. Otherwise option closures that change the entry
  /// would cause ever more evaluations.
  mutating func reevaluate(_ index: Int, _ transaction: Transaction) {
    let round = (transaction.reevaluationDepth ?? ReevaluationDepth.current) + 1
    let waiting = slots[index].reevaluationDepth
    if round > ReevaluationDepth.limit {
      if waiting == 0, let key = slots[index].key { actionQueue.enqueue(.unsettled(key.key)) }
    } else if waiting == 0 {
      slots[index].reevaluationDepth = round
      actionQueue.enqueue(.ask(id(of: index)))
    } else {
      slots[index].reevaluationDepth = min(waiting, round)
    }
  }

  // This is a separate function, so that transactions without listeners do not pay for it.
  @inline(never)
  private mutating func tellResults(_ index: Int, _ former: UInt64?, _ transaction: Transaction) {
    // Without a former version, nobody has read the entry since the last change, so this version is
    // news for all.
    let isNews = former == nil || slots[index].snapshot?.version != former
    if isNews || showsNews(index) { emit(.observerResultsUpdated, index, transaction) }
  }

  /// Reports an event of an entry, if anybody listens.
  // Inlined, so that an event that nobody listens to, and that only the client's record keeps, takes a few
  // instructions.
  @inline(__always)
  mutating func emit(
    _ kind: QueryEvent.Kind,
    _ index: Int,
    _ transaction: Transaction,
    job: FetchJob? = nil,
    isNotModified: Bool = false,
    isKeptEmpty: Bool = false
  ) {
    guard reports.isHeard else { return }
    if reports.audience.contains(.record) {
      recordEvent(
        kind,
        index,
        transaction,
        job,
        isNotModified: isNotModified,
        isKeptEmpty: isKeptEmpty
      )
    }
    guard emitsEvents else { return }
    tell(
      kind,
      index,
      at: transaction.environment.now,
      job,
      isNotModified: isNotModified,
      isKeptEmpty: isKeptEmpty
    )
  }

  // The argument is the time, because a transaction would be copied even if nobody listens.
  @inline(never)
  mutating func tell(
    _ kind: QueryEvent.Kind,
    _ index: Int,
    at now: Timestamp,
    _ job: FetchJob? = nil,
    isNotModified: Bool = false,
    isKeptEmpty: Bool = false
  ) {
    guard let key = slots[index].key else { return }
    var event = makeEvent(kind, key.key, at: now, cause: job?.cause, since: job?.startedAt)
    event.valueType = key.valueType
    event.isNotModified = isNotModified
    event.isKeptEmpty = isKeptEmpty
    event.fetch = job?.identity
    // A fetch may use another query than the entry's current one.
    if let meta = (job?.query ?? slots[index].query)?.meta { event.meta = meta }
    actionQueue.enqueue(.emit(event))
  }
}
