extension QueryClient {
  /// Lets the observers that waited for a store arrive, with what it keeps for them.
  ///
  /// All of them see it in one transaction, unless what is kept is changed while it is decoded.
  package nonisolated func restorationEnded() {
    let held = transaction { state, transaction -> [HeldObservers] in
      // From now on nobody begins to wait: see `resolving`.
      state.kept.reads += 1
      // Queries that were resolved before ask each time whether the store has been read.
      state.replaceDefaults(state.defaultsTable.renewed, &transaction)
      return state.heldObservers()
    }
    performDeferredWrites()
    let late = cache.read { $0.emptyPersistedEntries() }
    if arrive(held, late, isLast: false) { return }
    // One at a time, so that less comes in between.
    for entry in late { while !arrive([], [entry], isLast: true) {} }
    for entry in held { while !arrive([entry], [], isLast: true) {} }
  }

  /// Places what a store keeps.
  ///
  /// - Parameters:
  ///   - held: The observers that waited for it.
  ///   - late: The entries that did not wait for it any more.
  ///   - isLast: See ``CacheState/current(_:asOf:isLast:)``.
  /// - Returns: Whether that is done; otherwise what is kept was changed meanwhile, and nothing is placed.
  private nonisolated func arrive(
    _ held: [HeldObservers],
    _ late: [(key: EntryKey, query: StoredQuery)],
    isLast: Bool
  ) -> Bool {
    let version = cache.read { $0.kept }
    let lateData = late.map { ($0.key, InitialData(of: $0.query.resolved)) }
    let now = cache.now()
    // Those that wait for another store find nothing, and wait on.
    let arrivals = held.map { entry -> (InitialData?, ResolvedObserverOptions) in
      let query = entry.query.resolved
      let initialData =
        cache.read { $0.wantsInitialData($0.find(entry.key), query) }
        ? InitialData(of: query) : nil
      let options = query.resolvedOptions(isArrival: true) {
        cache.read { $0.infoOfArrival(entry.key, query, initialData, at: now) }
      }
      return (initialData, options)
    }
    return cache.transaction(self, at: now) { state, transaction in
      var placed: [(EntryKey, InitialData?)] = []
      for (key, initialData) in lateData + zip(held, arrivals).map({ ($0.key, $1.0) }) {
        guard let current = state.current(initialData, asOf: version, isLast: isLast)
        else { return false }
        placed.append((key, current))
      }
      for (key, initialData) in placed {
        guard let initialData, let index = state.find(key) else { continue }
        state.placeInitialData(index, initialData, &transaction)
      }
      for (entry, (_, options)) in zip(held, arrivals) {
        for id in entry.observers {
          guard let observer = state.find(id),
            state.observers[observer].query === entry.query,
            state.observers[observer].resolvedOptions.participation == .restoring
          else { continue }
          state.arrive(observer, resolvedOptions: options, &transaction)
        }
      }
      return true
    }
  }

  /// Begins a fetch for a caller, as soon as it is known what a store keeps for the query.
  ///
  /// - Parameters:
  ///   - definition: The query.
  ///   - rest: How long to wait; reduced by the time that it took. After that the start is
  ///     ``FetchStart/restoring``.
  ///   - begin: Begins the fetch.
  /// - Returns: How it began.
  /// - Throws: `CancellationError` if the caller is cancelled before.
  nonisolated func whenRestored(
    _ definition: QueryDefinition,
    within rest: inout TimeSpan,
    _ begin: () -> FetchStart
  ) async throws -> FetchStart {
    while true {
      let start = begin()
      guard case .restoring = start, rest != .zero,
        let policy = definition.persistence ?? defaults.persistence,
        let persister = persisters.persister(for: policy)
      else { return start }
      let began = cache.clock.now()
      await persister.waitUntilRestored(policy, within: rest)
      try Task.checkCancellation()
      if !rest.isInfinite {
        let elapsed = cache.clock.now().nanoseconds - began.nanoseconds
        rest = TimeSpan(rest.duration - .nanoseconds(elapsed))
      }
    }
  }

  /// The same without a limit.
  nonisolated func whenRestored(
    _ definition: QueryDefinition,
    _ begin: () -> FetchStart
  ) async throws -> FetchStart {
    var rest = TimeSpan.infinite
    return try await whenRestored(definition, within: &rest, begin)
  }

  /// Opens the store that may have data of a key without any; never call it under the lock.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - policy: How the query that is used is kept; `nil` if it does not say.
  /// - Returns: Whether a store has to be read first.
  nonisolated func openStore(of key: EntryKey, _ policy: (any PersistencePolicy)?) -> Bool {
    let (known, hasData) = cache.read { state in
      (state.find(key).flatMap { state.slots[$0].query }, state.box(key) != nil)
    }
    guard !hasData,
      let policy = policy ?? (known.map { $0.resolved.persistence } ?? defaults.persistence),
      !policy.isOff
    else { return false }
    guard let persister = persisters.persister(for: policy) else { return false }
    return persister.open(policy) || persister.isUnread(policy)
  }

  /// Places what a store keeps for a key without data, and makes its entry if there is none.
  ///
  /// An entry without data may be there for an optimistic change, for a stream that left while the store
  /// was read, or after a fetch that failed.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - definition: Says how to keep it, unless the entry has a query that says so.
  /// - Returns: The data without optimistic changes; `nil` if there is none.
  nonisolated func restoring(_ key: EntryKey, _ definition: QueryDefinition) -> ValueBox? {
    var round = 0
    while true {
      round += 1
      let (present, mayRestore, known, version) = cache.read { state in
        let index = state.find(key)
        return (
          state.box(key), index.map { !state.slots[$0].hasStash } ?? true,
          index.flatMap { state.slots[$0].query }, state.kept
        )
      }
      // Somebody else may have placed it meanwhile.
      if present != nil || !mayRestore { return present }
      let resolved = keeping(key, definition, known)
      guard resolved.isPersisted, let source = resolved.initialData,
        let initialData = InitialData(restoring: source, from: .kept)
      else { return nil }
      if let box = begin(key, resolved, with: initialData, asOf: version, isLast: round >= 16) {
        // The account may have ended while it was decoded.
        return isErased ? nil : box
      }
    }
  }

  /// Whether an update of a key alone is ignored, and reports that: the store keeps a value that only
  /// another query can restore.
  nonisolated func hidesKeptData(_ key: EntryKey, _ definition: QueryDefinition) -> Bool {
    guard keepsForAnother(key, definition) else { return false }
    report(.updateOfKeptData(key: key.key.description))
    return true
  }

  /// Whether the store of a key without data keeps a value that only another query can restore.
  nonisolated func keepsForAnother(_ key: EntryKey, _ definition: QueryDefinition) -> Bool {
    guard let persister = persisters.persister else { return false }
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].query } }
    let query = keeping(key, definition, known)
    guard query.isPersisted, let policy = query.persistence else { return false }
    return persister.keepsForAnother(key, query.definition, policy)
  }

  /// The query that says how the data of a key is kept: that of its entry may say that it is kept
  /// elsewhere, or nowhere.
  private nonisolated func keeping(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ known: StoredQuery?
  ) -> ResolvedQuery {
    let ofEntry = definition.persistence == nil ? known?.resolved : nil
    return ofEntry ?? resolve(key, definition, defaults)
  }
}

extension CacheState {
  /// The persisted entries in use that have no data, although nobody waits for a store: it took
  /// longer than queries wait.
  fileprivate func emptyPersistedEntries() -> [(key: EntryKey, query: StoredQuery)] {
    live.lazy.map(Int.init).compactMap { index in
      guard let key = slots[index].key, let query = slots[index].query, query.isPersisted,
        !slots[index].machine.hasData, !slots[index].hasStash, !slots[index].machine.isRemoved,
        !slots[index].observers.contains(where: {
          observers[Int($0)].resolvedOptions.participation == .restoring
        })
      else { return nil }
      return (key, query)
    }
  }

  /// The observers that wait for a store, by entry and query.
  fileprivate func heldObservers() -> [HeldObservers] {
    var held: [HeldObservers] = []
    for index in live.lazy.map(Int.init) where slots[index].isWatched {
      guard let key = slots[index].key else { continue }
      let first = held.count
      for position in slots[index].observers {
        let observer = observers[Int(position)]
        guard observer.resolvedOptions.participation == .restoring, let query = observer.query
        else { continue }
        let id = ObserverID(index: position, generation: observer.generation)
        if let place = held[first...].firstIndex(where: { $0.query === query }) {
          held[place].observers.append(id)
        } else {
          held.append((key, query, [id]))
        }
      }
    }
    return held
  }

  /// An observer that waited for a store asks for what it wants.
  fileprivate mutating func arrive(
    _ observer: Int,
    resolvedOptions: ResolvedObserverOptions,
    _ transaction: inout Transaction
  ) {
    guard let query = observers[observer].query else { return }
    reobserve(
      observer,
      query: query,
      resolvedOptions: resolvedOptions,
      onSubscribe: resolvedOptions.onSubscribe,
      &transaction
    )
  }
}

/// The observers of one entry and query that wait for a store.
private typealias HeldObservers = (key: EntryKey, query: StoredQuery, observers: [ObserverID])
