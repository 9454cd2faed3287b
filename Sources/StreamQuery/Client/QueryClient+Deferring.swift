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
  nonisolated func deferWrite(
    of key: EntryKey,
    _ policy: (any PersistencePolicy)?,
    survivesData: Bool,
    _ perform: @escaping @Sendable (QueryClient) -> Void
  ) {
    let write = DeferredWrites.Write(
      key: key,
      policy: policy,
      survivesData: survivesData,
      job: MutationJob.current,
      perform: perform
    )
    let oldest = deferredWrites.withLock { writes in
      defersWrites.store(true, ordering: .releasing)
      return writes.add(write)
    }
    if let oldest { report(.updateBeforeRestored(key: oldest.key.key.description)) }
    // It may have become known before anybody could find the write.
    if !openStore(of: key, policy) { performDeferredWrites() }
    if isOver { dropDeferredWrites() }
  }

  /// Makes the writes that wait for no store any more.
  nonisolated func performDeferredWrites() {
    guard mayDeferWrites, deferredWrites.withLock({ $0.begin() }) else { return }
    repeat {
      let waiting = deferredWrites.withLock { $0.keys }
      let ready = Set(waiting.filter { !openStore(of: $0.key, $0.value) }.keys)
      let answered = cache.read { state in
        ready.filter { key in
          state.find(key).map {
            state.slots[$0].machine.hasData && state.slots[$0].machine.dataUpdateCount > 0
          } ?? false
        }
      }
      withExtendedLifetime(
        deferredWrites.withLock { $0.drop(answered, sparesSurvivors: true) }
      ) {}
      while let write = deferredWrites.withLock({ $0.next(of: ready) }) {
        MutationJob.$current.withValue(write.job) { write.perform(self) }
        guard write.isInvalidated else { continue }
        startInvalidation(
          QueryFilter(.entry(write.key)),
          .active,
          superseding: true,
          .invalidated,
          nil
        )
      }
    } while deferredWrites.withLock { writes in
      defersWrites.store(!writes.isEmpty, ordering: .releasing)
      return writes.goesOn()
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
    let waiting = deferredWrites.withLock { Array($0.keys.keys) }
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
