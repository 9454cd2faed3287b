import Synchronization

nonisolated extension QueryClient {
  /// Marks entries as invalidated and starts the refetches of those in scope.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - scope: Selects the entries among them that are refetched.
  ///   - superseding: Whether running fetches over data are replaced.
  ///   - cause: The cause of the refetches.
  ///   - group: The group in which a caller waits for the refetches; `nil` if none does.
  func startInvalidation(
    _ filter: QueryFilter,
    _ scope: RefetchScope,
    superseding: Bool,
    _ cause: FetchCause,
    _ group: WaitGroup?
  ) {
    changeStored(filter, removes: false)
    recordBulkChange(filter, invalidates: true)
    let notesEach = superseding && notesEntries(of: filter)
    let asksOfEntries = filter.hasPredicate || !filter.plainPart.isAboutKeys
    let (restoring, noted, unsaved) = select(filter) { state, indices, transaction in
      let refetched = indices.filter { state.isInScope(scope, $0) && state.isBulkRefetched($0) }
      let restoring = indices.compactMap { state.restoring($0, in: scope) }
      filter.announce(.invalidate, count: indices.count, to: &state, &transaction)
      for index in indices {
        state.emit(.invalidated, index, transaction)
        // A fetch that invalidates its own key is joined: a new fetch would invalidate the key again, without
        // end.
        let isJoining = !superseding || state.waitsForCaller(index, transaction)
        state.input(index, &transaction) {
          $0.invalidated(isJoining: isJoining, isDoubt: !superseding, in: $1)
        }
        state.announce(.invalidated(index), &transaction)
      }
      for index in refetched {
        state.refetch(index, cause, superseding: superseding, group, &transaction)
      }
      let noted = notesEach ? indices.compactMap { state.slots[$0].key } : []
      let unsaved = asksOfEntries ? indices.compactMap { state.keyOfUnsaved($0) } : []
      return (restoring, noted, unsaved)
    }
    // The persister cannot evaluate the filter for these entries, so it gets their keys.
    if !unsaved.isEmpty {
      persisters.persister?.invalidate(.any(of: unsaved.map { QueryFilter(.entry($0)) }))
    }
    noteInvalidations(of: noted)
    refetch(onceRestored: restoring, cause, group)
  }
}

// A cache beside the client has to know about invalidations.
nonisolated extension QueryClient {
  /// Notes from now on when keys are invalidated, whether the client has them or not.
  ///
  /// Call this if there is a cache beside the client, in the process or on other machines, which
  /// may have data that the client has never fetched, or has dropped. Without notes, an
  /// invalidation of such a key would be lost, since there is nothing to mark, and the next fetch
  /// would be answered with old data of the other cache. ``FetchContext/timeSinceInvalidation``
  /// tells how long ago the invalidation was.
  ///
  /// ```swift
  /// let client = QueryClient()
  /// client.noteInvalidations()
  /// ```
  ///
  /// Invalidations with `superseding: false` are not noted: such a call takes a running fetch for new enough.
  /// Memory is bounded: if there are notes on more than 1,024 keys or 64 filters, the oldest notes are
  /// dropped. Then every key counts as invalidated at the time of the newest dropped note.
  @_spi(SharedCache) public nonisolated func noteInvalidations() {
    notesInvalidations.store(true, ordering: .releasing)
  }

  /// Records that the entries of a filter are being invalidated.
  ///
  /// Call this before any entry is invalidated, so that the fetches that follow are newer than the record.
  ///
  /// - Returns: `true` if the filter asks for more than keys: then the keys of the entries that it selects
  ///   must be recorded one by one.
  func notesEntries(of filter: QueryFilter) -> Bool {
    guard notesInvalidations.load(ordering: .acquiring) else { return false }
    let plain = filter.plainPart
    // The dropped records contain users' keys, so they are released outside of the locks.
    let forgotten = transaction(isDated: false) { state, transaction in
      let (now, newestEntry) = (transaction.environment.now.instant, state.slots.serial)
      return invalidations.withLock {
        $0.invalidated(plain, at: now, newestEntry: newestEntry)
      }
    }
    _ = forgotten
    return !plain.isAboutKeys
  }

  /// Records that keys were invalidated, for a cache beside the client.
  func noteInvalidations(of keys: [EntryKey]) {
    guard !keys.isEmpty else { return }
    let forgotten = transaction(isDated: false) { _, transaction in
      let now = transaction.environment.now.instant
      return invalidations.withLock { $0.invalidated(keys, at: now) }
    }
    _ = forgotten
  }

  /// The instant when an entry was last invalidated by a call that accepts no older answer.
  ///
  /// `nil` if the entry has become fresh since, or if the time is not known.
  func supersededAt(_ entry: EntryID) -> Instant? {
    let found = cache.read { state -> (mark: Instant?, missing: EntryKey?)? in
      guard let index = state.find(entry) else { return nil }
      let machine = state.slots[index].machine
      return (machine.supersededAt, machine.hasData ? nil : state.slots[index].key)
    }
    guard let found else { return nil }
    guard let key = found.missing, notesInvalidations.load(ordering: .acquiring) else {
      return found.mark
    }
    let candidate = KeyNotes.Candidate(info: .absent(key), entry: entry.generation)
    let noted = invalidations.withLock { $0.last(of: candidate) }
    return [found.mark, noted].compactMap(\.self).max()
  }

  /// Removes or invalidates data in stores.
  ///
  /// Call this before the entries change, so that the data is not restored in between.
  func changeStored(_ filter: QueryFilter, removes: Bool) {
    guard let persister = persisters.persister else { return }
    sweepDeferredWrites(filter, removes: removes)
    if removes { persister.remove(filter) } else { persister.invalidate(filter) }
    let keys = keysOfUnread(filter, removes: removes)
    if !keys.isEmpty {
      let unread = QueryFilter.any(of: keys.map { QueryFilter(.entry($0)) })
      if removes { persister.remove(unread) } else { persister.invalidate(unread) }
    }
    // Because of the new counts, a thread that is decoding data of the filter reads that data again.
    cache.record { if removes { $0.kept.removals += 1 } else { $0.kept.marks += 1 } }
  }

  /// The keys of active entries that a filter selects, and whose data a store may still have.
  ///
  /// The persister treats each record as that of an inactive entry, so the caller names these keys to it. An
  /// invalidation evaluates predicates only later, so for an invalidation the result has the keys of all
  /// records that may match.
  private func keysOfUnread(_ filter: QueryFilter, removes: Bool) -> [EntryKey] {
    guard filter.hasPredicate || !filter.plainPart.isAboutKeys else { return [] }
    let records = RecordFilter(filter, isActive: true)
    let asked = removes ? filter : QueryFilter(filter.plainPart)
    let keys = search(asked) { state, index, now -> EntryKey? in
      guard !state.slots[index].machine.hasData, state.slots[index].query?.isPersisted == true,
        state.matches(.active, index, at: now)
      else { return nil }
      return state.slots[index].key
    }.compactMap(\.item)
    return keys.filter { key in
      guard let text = try? key.canonicalText() else { return false }
      return switch records.answer(for: text) {
      case .yes: true
      case .maybe: !removes
      case .no: false
      }
    }
  }

  /// Records for imports that the entries of a filter are removed or invalidated, including entries
  /// that an import is going to bring.
  func recordBulkChange(_ filter: QueryFilter, invalidates: Bool) {
    guard mayAwaitImports else { return }
    transaction { state, transaction in
      state.announce(.swept(filter.plainPart, invalidates: invalidates), &transaction)
    }
  }

  func startRefetch(
    _ filter: QueryFilter,
    superseding: Bool,
    _ cause: FetchCause,
    _ group: WaitGroup?
  ) {
    let restoring = select(filter) { state, indices, transaction in
      filter.announce(.refetch, count: indices.count, to: &state, &transaction)
      return indices.compactMap { index -> RestoringEntry? in
        guard state.isBulkRefetched(index) else { return state.restoring(index) }
        state.refetch(index, cause, superseding: superseding, group, &transaction)
        return nil
      }
    }
    refetch(onceRestored: restoring, cause, group)
  }

  /// Opens the store that a query names, so that a call about the query also changes the store,
  /// even if the query has not been used yet.
  func openStore<Value>(of query: Query<Value>) { openStore(of: query.definition.persistence) }

  /// Opens the store of a query's policy, if there is one.
  func openStore(of policy: (any PersistencePolicy)?) {
    guard let policy, !policy.isOff else { return }
    persisters.persister(for: policy)?.open(policy)
  }

  /// Opens the store of a query that is to be invalidated, and gives its entry the query's fetch closure if
  /// entries without an observer are refetched.
  func prepareToInvalidate(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ scope: RefetchScope
  ) {
    openStore(of: definition.persistence)
    if scope == .inactive || scope == .all { giveFetch(of: key, definition) }
  }

  /// Gives the entry of a query the query's fetch closure, if the entry has none, for example because a write
  /// made it.
  func giveFetch(of key: EntryKey, _ definition: QueryDefinition) {
    let hasNone = cache.read { state in
      state.find(key).map { state.slots[$0].query?.canFetch != true } ?? false
    }
    guard hasNone else { return }
    resolving(key, definition) { state, _, index, resolution, transaction in
      guard let index, state.slots[index].query?.canFetch != true else { return }
      state.adopt(index, resolution.query, &transaction)
    }
  }

  func invalidating(
    _ filter: QueryFilter,
    _ scope: RefetchScope,
    _ superseding: Bool,
    failsFast: Bool
  ) async -> (any Error)? {
    let group = WaitGroup(failsFast: failsFast)
    startInvalidation(filter, scope, superseding: superseding, .invalidated, group)
    group.open()
    return await group.wait(observed("fetches of queries"), onCancel: leaving(group))
  }

  func refetching(
    _ filter: QueryFilter,
    _ superseding: Bool,
    failsFast: Bool
  ) async -> (any Error)? {
    let group = WaitGroup(failsFast: failsFast)
    startRefetch(filter, superseding: superseding, .manual, group)
    group.open()
    return await group.wait(observed("fetches of queries"), onCancel: leaving(group))
  }

  func resetting(_ filter: QueryFilter, _ group: WaitGroup?) {
    // The stored data is removed first, or it would become the initial data again.
    changeStored(filter, removes: true)
    recordBulkChange(filter, invalidates: false)
    // Initial data is user code, so it runs before the transaction, for every entry that
    // may match.
    let initial = search(filter) { state, index, _ in state.initialData(of: index) }
    var initialData: [EntryID: InitialData] = [:]
    for match in initial {
      guard let source = match.item else { continue }
      initialData[match.id] = InitialData(restoring: source, from: .own)
    }
    // Options that depend on the entry are evaluated before the transaction, too: an observer that
    // is enabled when the entry is empty refetches it.
    commit(rounds: 3, over: filter) { [initialData] _ in
      let asked = select(filter) { state, indices, transaction in
        indices.compactMap { index in
          state.optionsAfterReset(index, initialData[state.id(of: index)], transaction)
        }
      }
      return .answer(Dictionary(asked.map { ($0.entry, $0.answered) }) { $1 })
    } applying: { [initialData] answers, isLast, state, indices, transaction -> Void? in
      let isOutdated = indices.contains { index in
        answers[state.id(of: index)].map { $0.revision != state.slots[index].revision } ?? false
      }
      guard isLast || !isOutdated else { return nil }
      filter.announce(.reset, count: indices.count, to: &state, &transaction)
      for index in indices {
        let id = state.id(of: index)
        state.reset(index, initialData[id], answers[id]?.answers ?? [], group, &transaction)
      }
      return ()
    }
  }
}
