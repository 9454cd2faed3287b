internal import Synchronization

// Writes of keys whose stores have not been read yet.
//
// An update must begin with the data in the store, so it waits until the store is read. Until then the key
// has no data, and its results say that it is being restored. When the store has been read, or was given up,
// the writes of a key are made in the order of their calls, before observers that waited may fetch.
// Everything that happens after the call counts as later than the update. A write or an answer replaces the
// update, a removal or a reset drops it, and an invalidation marks its result.

nonisolated extension QueryClient {
  /// Makes a write as soon as the store of the key has been read.
  func deferWrite(_ write: DeferredWrites.Write) {
    let oldest = deferredWrites.withLock { writes in
      defersWrites.store(true, ordering: .releasing)
      return writes.enqueue(write)
    }
    if let oldest { report(.updateBeforeRestored(key: oldest.key.key.description)) }
    // The store may have been read after the caller's test and before the write was in the list. Then
    // no other thread makes the write.
    if !openStore(of: write.key, write.definition.persistence) { performDeferredWrites() }
    if isOver { dropDeferredWrites() }
  }

  /// Whether an update of a key has to wait: for the store, or after that for earlier updates of the key.
  func mustWait(_ key: EntryKey, _ policy: (any PersistencePolicy)? = nil) -> Bool {
    if openStore(of: key, policy) { return true }
    guard mayDeferWrites, deferredWrites.withLock({ $0.holds(key) }) else { return false }
    performDeferredWrites()
    return deferredWrites.withLock { $0.holds(key) }
  }

  /// Makes the writes that no longer wait for a store.
  func performDeferredWrites() {
    guard mayDeferWrites, deferredWrites.withLock({ $0.beginNext() }) else { return }
    repeat {
      let waiting = deferredWrites.withLock { $0.keys }
      let ready = Set(waiting.filter { !openStore(of: $0.key, $0.value) }.keys)
      dropDeferredWrites(answered: ready)
      for key in deferredWrites.withLock({ $0.inOrder(ready) }) {
        while let write = deferredWrites.withLock({ $0.next(of: key) }) { makeWrite(write) }
      }
    } while deferredWrites.withLock { writes in
      defersWrites.store(!writes.isEmpty, ordering: .releasing)
      return writes.goesOn()
    }
  }

  private func makeWrite(_ write: DeferredWrites.Write) {
    MutationJob.$current.withValue(write.job) { write.perform(self) }
    deferredWriteMade(of: write.key)
  }

  /// Ends a deferred write, and repeats an invalidation that came after the call of the write, because
  /// the write has undone that invalidation.
  func deferredWriteMade(of key: EntryKey) {
    guard let write = deferredWrites.withLock({ $0.made() }), write.isInvalidated else { return }
    startInvalidation(QueryFilter(.entry(key)), .active, superseding: true, .invalidated, nil)
  }

  /// Whether a deferred write of a key is in progress, and was not dropped.
  func isMakingDeferredWrite(of key: EntryKey) -> Bool {
    deferredWrites.withLock { $0.isMaking(key) }
  }

  /// Drops the deferred writes of keys that got an answer, or were written, while the writes waited.
  private func dropDeferredWrites(answered keys: Set<EntryKey>) {
    let answered = cache.read { state in
      keys.filter { key in
        state.find(key).map {
          state.slots[$0].machine.hasData && state.slots[$0].machine.dataUpdateCount > 0
        } ?? false
      }
    }
    withExtendedLifetime(deferredWrites.withLock { $0.drop(answered: answered) }) {}
  }

  /// Takes the writes that wait or are in progress when the client ends, to be applied to the data in the
  /// stores.
  func takeDeferredWrites() -> [LastWrite] {
    guard mayDeferWrites else { return [] }
    dropDeferredWrites(answered: Set(deferredWrites.withLock { $0.keys }.keys))
    // The lock of the cache is held, so that no write that is taken here can still reach the cache.
    let writes = cache.read { _ in deferredWrites.withLock { $0.takeLast() } }
    return writes.map { write in
      let known = cache.read { state in state.find(write.key).flatMap { state.slots[$0].query } }
      let own = write.definition.persistence == nil ? known?.resolved : nil
      let query = own ?? resolve(write.key, write.definition, defaults)
      return LastWrite(write: write, query: query)
    }
  }

  /// Drops the waiting writes of a key, because the key is written now.
  func dropDeferredWrites(of key: EntryKey) {
    withExtendedLifetime(deferredWrites.withLock { $0.drop([key]) }) {}
  }

  /// Tells the persister for which stores writes wait.
  func tellOfDeferredWrites() {
    guard let persister = persisters.persister else { return }
    let waiting = mayDeferWrites ? deferredWrites.withLock { $0.keys } : [:]
    persister.writesWait(under: waiting.compactMap { policy(of: $0.key, $0.value) })
  }

  /// Drops all waiting writes.
  func dropDeferredWrites() {
    guard mayDeferWrites else { return }
    withExtendedLifetime(deferredWrites.withLock { $0.drop(nil) }) {}
  }

  /// Drops or marks the waiting writes of entries that are removed, reset or invalidated.
  func sweepDeferredWrites(_ filter: QueryFilter, removes: Bool) {
    guard mayDeferWrites else { return }
    let waiting = deferredWrites.withLock { $0.queriesToMark }
    let asked = waiting.map { (key: $0.key, definition: $0.value) }
    let swept = Set(infos(of: asked, for: filter).filter(filter.matches).map(\.entryKey))
    let dropped = deferredWrites.withLock { writes -> [DeferredWrites.Write] in
      if removes { return writes.drop(swept) }
      writes.mark(swept)
      return []
    }
    withExtendedLifetime(dropped) {}
  }

  /// The facts about the entries of some queries that a filter needs.
  ///
  /// If there is no entry, the metadata is that of the query. A filter of keys needs no look at the cache,
  /// which would hold its lock for as long as there are queries.
  func infos(
    of queries: [(key: EntryKey, definition: QueryDefinition)],
    for filter: QueryFilter
  ) -> [QueryInfo] {
    guard filter.hasPredicate || !filter.plainPart.isAboutKeys else {
      return queries.map { .absent($0.key) }
    }
    let asked = queries.map { (key: $0.key, meta: resolve($0.key, $0.definition, defaults).meta) }
    return cache.read { state in
      asked.map { query in
        state.find(query.key).flatMap { state.info($0, at: state.environment.now.instant) }
          ?? .absent(query.key, query.meta)
      }
    }
  }

  /// Whether a write may be waiting for a store.
  ///
  /// Most clients never have one, so this is checked first.
  var mayDeferWrites: Bool {
    @inline(__always) get { defersWrites.load(ordering: .acquiring) }
  }

  // MARK: Updates

  /// Defers an update until the store of its key has been read.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - terms: The retention, the persistence and the metadata of the query that is written to.
  ///   - date: The date when the written data was current, in seconds since the reference date; `nil` means
  ///     now.
  ///   - fencing: Whether fetches in flight are discarded.
  ///   - marksNew: Whether new data is marked as invalidated.
  ///   - update: Changes the data.
  ///   - perform: Makes the update, called when the store has been read.
  func deferUpdate<Value: Sendable, Failure: Error>(
    _ key: EntryKey,
    _ terms: WriteTerms,
    updatedAt date: Double?,
    fencing: Bool,
    marksNew: Bool,
    _ update: @escaping @Sendable (inout Value?) throws(Failure) -> Void,
    perform: @escaping @Sendable (QueryClient) -> Void
  ) {
    deferWrite(
      DeferredWrites.Write(
        of: key,
        terms.query(of: Value.self),
        survivesData: fencing,
        job: MutationJob.current,
        change: { kept in
          var value = kept?.box.value(as: Value.self)
          guard (try? update(&value)) != nil, let value else { return nil }
          return KeptData(
            box: TypedBox(value),
            updatedAt: date,
            isInvalidated: marksNew && kept == nil
          )
        },
        perform: perform
      )
    )
  }

  /// Makes an update, and makes it again if the data changes meanwhile.
  func updateNow<Value: Sendable, Failure: Error>(
    _ key: EntryKey,
    _ terms: WriteTerms,
    updatedAt date: Double?,
    fencing: Bool,
    marksNew: Bool,
    hasWaited: Bool,
    _ update: (inout Value?) throws(Failure) -> Void
  ) throws(Failure) -> Value? {
    var (query, needsQuery) = (ResolvedQuery?.none, false)
    typealias Away = (serial: UInt64, kept: KeptVersion)
    typealias Answer = (
      present: ValueBox?, away: Away?, box: ValueBox, value: Value, isNew: Bool
    )
    func ask(_: Int) throws(Failure) -> CommitAnswer<Answer, Value?> {
      var restored: ValueBox?
      let kept = cache.read { $0.kept }
      if terms.persistence != nil || persisters.persister != nil {
        restored = restoring(key, terms.definition(of: Value.self))
      }
      let (present, isKnown, serial) = cache.read { state -> (ValueBox?, Bool, UInt64) in
        let index = state.find(key)
        return (index.flatMap { state.slots[$0].data }, index != nil, state.slots.serial)
      }
      // The cache may have no room for the data of the store; then there is no entry for this data.
      let isAway = !isKnown && restored != nil
      var value = (isAway ? restored : present)?.value(as: Value.self)
      let isNew = value == nil
      if isNew, terms.isOfKeyAlone, hidesKeptData(key, terms.definition(of: Value.self)) {
        return .over(nil)
      }
      try UpdateChain.run(key, of: self) { () throws(Failure) in try update(&value) }
      guard let value else { return .over(nil) }
      let box = TypedBox(value)
      if query == nil, !isKnown || needsQuery { query = bare(key, for: box, terms) }
      return .answer((present, isAway ? (serial, kept) : nil, box, value, isNew))
    }
    return try commit(rounds: 3, asking: ask) { answer, isLast, state, transaction in
      if hasWaited, !isMakingDeferredWrite(of: key) { return .some(nil) }
      // Boxes are never changed, so the same box means the same data.
      let index = state.find(key)
      guard index.flatMap({ state.slots[$0].data }) === answer.present else { return nil }
      // If there is no entry for the data of the store, another thread may have made and dropped one, or
      // removed the data in the store. Then the update begins again.
      if let away = answer.away, index == nil {
        guard away.serial == state.slots.serial else { return nil }
        // The last round accepts such a removal, because the closure itself may remove something
        // each time.
        guard isLast || away.kept == state.kept else { return nil }
      }
      guard !state.isShutDown else { return .some(nil) }
      guard let entry = state.writtenEntry(key, query, terms, &transaction) else {
        needsQuery = true
        return nil
      }
      state.write(answer.box, entry, updatedAt: date, fencing: fencing, &transaction)
      if marksNew, answer.isNew { state.doubt(entry, &transaction) }
      if hasWaited { deferredWrites.withLock { $0.writeLanded() } }
      return answer.value
    }
  }

  /// The query of an entry that begins with a write.
  ///
  /// This query has the defaults of the key, and the retention, persistence and metadata of the query that
  /// is written to.
  func bare(
    _ key: EntryKey,
    for box: ValueBox,
    _ terms: WriteTerms
  ) -> ResolvedQuery {
    ResolvedQuery(terms.definition(of: box.valueType), for: key.key, defaults: defaults).opened()
  }
}
