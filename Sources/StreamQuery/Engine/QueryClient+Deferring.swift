internal import Synchronization

// Writes of keys of which it is not known yet what a store keeps.
//
// An update of nothing would take the place of what is kept, so it waits: until then the key has no
// data and says that it is restoring. When the store has been read, or was given up, the writes of a
// key are made in the order of their calls, before observers that waited arrive. What comes later
// than the call counts as later: a write or an answer replaces the update, a removal or a reset ends
// it, an invalidation marks what it has written.

extension QueryClient {
  /// Makes a write as soon as it is known what a store keeps for the key.
  nonisolated func deferWrite(_ write: DeferredWrites.Write) {
    let oldest = deferredWrites.withLock { writes in
      defersWrites.store(true, ordering: .releasing)
      return writes.add(write)
    }
    if let oldest { report(.updateBeforeRestored(key: oldest.key.key.description)) }
    // It may have become known before anybody could find the write.
    if !openStore(of: write.key, write.definition.persistence) { performDeferredWrites() }
    if isOver { dropDeferredWrites() }
  }

  /// Whether an update of a key has to wait: for its store, or behind earlier ones, which may still
  /// wait although the store has been read.
  nonisolated func mustWait(_ key: EntryKey, _ policy: (any PersistencePolicy)? = nil) -> Bool {
    if openStore(of: key, policy) { return true }
    guard mayDeferWrites, deferredWrites.withLock({ $0.holds(key) }) else { return false }
    performDeferredWrites()
    return deferredWrites.withLock { $0.holds(key) }
  }

  /// Makes the writes that wait for no store any more.
  nonisolated func performDeferredWrites() {
    guard mayDeferWrites, deferredWrites.withLock({ $0.begin() }) else { return }
    repeat {
      let waiting = deferredWrites.withLock { $0.keys }
      let ready = Set(waiting.filter { !openStore(of: $0.key, $0.value) }.keys)
      dropDeferredWrites(answered: ready)
      for key in deferredWrites.withLock({ $0.inOrder(ready) }) {
        while let write = deferredWrites.withLock({ $0.next(of: key) }) { perform(write) }
      }
    } while deferredWrites.withLock { writes in
      defersWrites.store(!writes.isEmpty, ordering: .releasing)
      return writes.goesOn()
    }
  }

  private nonisolated func perform(_ write: DeferredWrites.Write) {
    MutationJob.$current.withValue(write.job) { write.perform(self) }
    deferredWriteMade(of: write.key)
  }

  /// A deferred write is done: it must not undo an invalidation that came after its call.
  nonisolated func deferredWriteMade(of key: EntryKey) {
    guard let write = deferredWrites.withLock({ $0.made() }), write.isInvalidated else { return }
    startInvalidation(QueryFilter(.entry(key)), .active, superseding: true, .invalidated, nil)
  }

  /// The cache has the result of a deferred write; called in the same transaction.
  nonisolated func deferredWriteLanded() { deferredWrites.withLock { $0.landed() } }

  /// Whether a deferred write of a key is in progress, and was not dropped.
  nonisolated func isMakingDeferredWrite(of key: EntryKey) -> Bool {
    deferredWrites.withLock { $0.isMaking(key) }
  }

  /// Ends the writes of those of some keys that got an answer, or were written, meanwhile.
  private nonisolated func dropDeferredWrites(answered keys: Set<EntryKey>) {
    let answered = cache.read { state in
      keys.filter { key in
        state.find(key).map {
          state.slots[$0].machine.hasData && state.slots[$0].machine.dataUpdateCount > 0
        } ?? false
      }
    }
    withExtendedLifetime(deferredWrites.withLock { $0.drop(answered: answered) }) {}
  }

  /// Takes the writes that wait when the client ends, or are being made, for the stores to get what they
  /// make.
  nonisolated func takeDeferredWrites() -> [LastWrite] {
    guard mayDeferWrites else { return [] }
    dropDeferredWrites(answered: Set(deferredWrites.withLock { $0.keys }.keys))
    // Under the lock of the cache, so that none that is taken lands.
    let writes = cache.read { _ in deferredWrites.withLock { $0.takeLast() } }
    return writes.map { write in
      let known = cache.read { state in state.find(write.key).flatMap { state.slots[$0].query } }
      let own = write.definition.persistence == nil ? known?.resolved : nil
      let query = own ?? resolve(write.key, write.definition, defaults)
      return LastWrite(write: write, query: query)
    }
  }

  /// Ends the writes of a key that wait: it is written now.
  nonisolated func dropDeferredWrites(of key: EntryKey) {
    withExtendedLifetime(deferredWrites.withLock { $0.drop([key]) }) {}
  }

  /// Ends all writes that wait.
  nonisolated func dropDeferredWrites() {
    guard mayDeferWrites else { return }
    withExtendedLifetime(deferredWrites.withLock { $0.drop(nil) }) {}
  }

  /// The entries that a filter selects are removed, reset or invalidated.
  nonisolated func sweepDeferredWrites(_ filter: QueryFilter, removes: Bool) {
    guard mayDeferWrites else { return }
    let waiting = deferredWrites.withLock { $0.keysToMark }
    let infos = cache.read { state in
      waiting.map { key in
        state.find(key).flatMap { state.info($0, at: state.latest.instant) }
          ?? .absent(key)
      }
    }
    let swept = Set(infos.filter(filter.matches).map(\.entryKey))
    let dropped = deferredWrites.withLock { writes -> [DeferredWrites.Write] in
      if removes { return writes.drop(swept) }
      writes.mark(swept)
      return []
    }
    withExtendedLifetime(dropped) {}
  }

  /// Whether any write waits for a store: most clients never have one, and look no further.
  nonisolated var mayDeferWrites: Bool {
    @inline(__always) get { defersWrites.load(ordering: .acquiring) }
  }
}
