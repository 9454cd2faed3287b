internal import Synchronization

nonisolated extension QueryClient {
  /// Puts the data of a store that was read into the cache, and lets observers that waited request fetches.
  ///
  /// All these observers see the data in one transaction, unless the data, or an entry on which options
  /// depend, changes while the data is decoded.
  package func restorationEnded() {
    let held = transaction { state, transaction -> [RestoringObservers] in
      // From now on no observer begins to wait for the store: see `current(_:at:isLast:)`.
      state.kept.reads += 1
      // The defaults get a new identity, so that queries are resolved again: queries that were resolved
      // before would check each time whether the store has been read.
      state.replaceDefaults(state.defaults.table.renewed, &transaction)
      return state.restoringObservers()
    }
    performDeferredWrites()
    // Entries that did not wait any longer for their store come first. The list also has observers of stores
    // that are not read yet; these observers go on waiting.
    let entries = cache.read { $0.emptyPersistedEntries() } + held
    func resolved(_ observers: RestoringObservers) -> RestoringObservers.Resolved {
      var made = resolution(of: observers.query.resolved, for: observers.key, isArrival: true)
      // Without observers there are no options that could be outdated: only the data counts.
      if observers.observers.isEmpty { made.revision = nil }
      return (observers, made)
    }
    let all = entries.map(resolved)
    if transaction({ $0.arrive(all, isLast: false, &$1) }) { return }
    // The entries are filled one at a time, so that less can change while each is decoded.
    for entry in entries {
      commit(rounds: 1) { _ in
        .answer(resolved(entry))
      } applying: { resolved, isLast, state, transaction -> Void? in
        state.arrive([resolved], isLast: isLast, &transaction) ? () : nil
      }
    }
  }

  /// Begins a fetch for a caller, as soon as the store of the query has been read.
  ///
  /// - Parameters:
  ///   - key: The key that is fetched.
  ///   - definition: The query.
  ///   - rest: How long the caller may wait; this call subtracts the time that it has taken. If the store has
  ///     not been read in that time, the start is ``FetchStart/restoring``.
  ///   - caller: The caller, if removals of the key were noted for it before.
  ///   - begin: Begins the fetch for a caller, unless the caller is cancelled at the transaction.
  /// - Returns: The start of the fetch.
  /// - Throws: `CancellationError` if the caller is cancelled, or its key removed, before the fetch begins.
  func whenRestored(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    within rest: inout TimeSpan,
    for caller: RestoringCaller? = nil,
    _ begin: (RestoringCaller?) -> FetchStart
  ) async throws -> FetchStart {
    guard caller == nil else {
      return try await whenRead(key, definition, nil, within: &rest, for: caller, begin)
    }
    // Nearly always no store has to be read first, so the wait is a function of its own.
    let start = begin(nil)
    guard case .restoring = start, rest != .zero else { return start }
    return try await whenRead(key, definition, start, within: &rest, for: nil, begin)
  }

  @inline(never)
  private func whenRead(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ first: FetchStart?,
    within rest: inout TimeSpan,
    for caller: RestoringCaller?,
    _ begin: (RestoringCaller?) -> FetchStart
  ) async throws -> FetchStart {
    var (present, first) = (caller, first)
    defer { if let present { leaves(present) } }
    while true {
      let start = first.take() ?? begin(present)
      if let present, present.isCancelled {
        // The key was removed before the fetch began, or just after that.
        if case .waiting(let waiter) = start { waiter.leave { self.left(waiter) } }
        throw CancellationError()
      }
      guard case .restoring = start, rest != .zero,
        let policy = definition.persistence ?? defaults.persistence,
        let persister = persisters.persister(for: policy)
      else { return start }
      let caller = present ?? comes(for: key, definition)
      present = caller
      let began = cache.clock.now()
      await persister.waitUntilRestored(policy, within: rest, orUntil: caller.nextWait())
      try Task.checkCancellation()
      if caller.isCancelled { throw CancellationError() }
      if !rest.isInfinite {
        let elapsed = cache.clock.now().nanoseconds - began.nanoseconds
        rest = TimeSpan(rest.duration - .nanoseconds(elapsed))
      }
    }
  }

  /// Begins a fetch for a caller, as soon as the store of the query has been read, however long
  /// that takes.
  func whenRestored(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    for caller: RestoringCaller? = nil,
    _ begin: (RestoringCaller?) -> FetchStart
  ) async throws -> FetchStart {
    var rest = TimeSpan.infinite
    return try await whenRestored(key, definition, within: &rest, for: caller, begin)
  }

  func comes(for key: EntryKey, _ definition: QueryDefinition) -> RestoringCaller {
    restoringCallers.withLock { $0.comes(for: key, definition) }
  }

  func leaves(_ caller: RestoringCaller) {
    _ = restoringCallers.withLock { $0.callers.removeValue(forKey: caller.number) }
  }

  /// Cancels the callers that wait before their fetches begin, and whose keys are removed, or whose fetches
  /// are cancelled: the entries know nothing of these callers.
  ///
  /// Call this before the entries change. A caller that has begun a fetch loses it by that change, and the
  /// transaction that would begin it later finds that the caller is cancelled.
  ///
  /// - Parameters:
  ///   - filter: Selects the keys.
  ///   - sparesTurns: Whether callers that wait for their turn in a refresh, and not for a store, stay.
  /// - Returns: The cancelled callers, whose waits end when they are resumed, after the change.
  func cancelRestoringCallers(
    _ filter: QueryFilter,
    sparesTurns: Bool = false
  ) -> [RestoringCaller] {
    // Predicates are called, and callers resumed, in the order of arrivals.
    let waiting = restoringCallers.withLock { Array($0.callers.values) }
      .sorted { $0.number < $1.number }
      .filter { !sparesTurns || $0.hasWaited }
    guard !waiting.isEmpty else { return [] }
    let infos = infos(of: waiting.map { ($0.key, $0.definition) }, for: filter)
    let cancelled = zip(waiting, infos).filter { filter.matches($1) }.map { $0.0 }
    for caller in cancelled { caller.cancel() }
    return cancelled
  }

  /// Opens the store that may have data for a key without data.
  ///
  /// Do not call this under the lock.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - policy: The policy of the query that is used; `nil` if it has none.
  /// - Returns: Whether a store has to be read first.
  func openStore(of key: EntryKey, _ policy: (any PersistencePolicy)?) -> Bool {
    guard cache.read({ $0.box(key) == nil }), let policy = self.policy(of: key, policy),
      !policy.isOff
    else { return false }
    guard let persister = persisters.persister(for: policy) else { return false }
    return persister.open(policy) || persister.isUnread(policy)
  }

  /// The policy by which the data of a key is saved; `nil` if it is not.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - policy: The policy of the query that is used; `nil` if it has none: then the query of the entry
  ///     decides, or the default.
  /// - Returns: The policy.
  func policy(of key: EntryKey, _ policy: (any PersistencePolicy)?) -> (any PersistencePolicy)? {
    if let policy { return policy }
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].query } }
    return known.map { $0.resolved.persistence } ?? defaults.persistence
  }

  /// Puts the data of a store into the entry of a key without data, and makes the entry if there is none.
  ///
  /// An entry without data may be there for an optimistic change, for a stream that left while the store
  /// was read, or after a fetch that failed.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - definition: The query. If it has no persistence policy, the query of the entry says how the data is
  ///     kept.
  /// - Returns: The data without optimistic changes; `nil` if there is none.
  func restoring(_ key: EntryKey, _ definition: QueryDefinition) -> ValueBox? {
    let restored = commit(rounds: 16) { _ -> CommitAnswer<Resolution, Restored> in
      let (present, mayRestore, known, version) = cache.read { state in
        let index = state.find(key)
        return (
          state.box(key), index.map { !state.slots[$0].hasStash } ?? true,
          index.flatMap { state.slots[$0].query }, state.kept
        )
      }
      // Another thread may have put the data into the cache meanwhile.
      if present != nil || !mayRestore { return .over(Restored(box: present)) }
      let query = keeping(key, definition, known)
      guard query.isPersisted, let source = query.initialData,
        let initialData = InitialData(restoring: source, from: .kept)
      else { return .over(Restored(box: nil)) }
      return .answer(
        Resolution(query: query, initialData: initialData, isDataKnown: true, kept: version)
      )
    } applying: { resolution, isLast, state, transaction in
      state.current(resolution, at: state.find(key), isLast: isLast).map {
        Restored(box: state.fill(key, from: $0, &transaction))
      }
    }
    // The account may have ended while the data was decoded.
    return isErased ? nil : restored.box
  }

  /// Whether an update that names only a key is ignored and reported, because the store has a value that only
  /// another query can restore.
  func hidesKeptData(_ key: EntryKey, _ definition: QueryDefinition) -> Bool {
    guard keepsForAnother(key, definition) else { return false }
    report(.updateOfKeptData(key: key.key.description))
    return true
  }

  /// Whether a key has no data, and the store has a value that only another query can restore.
  func keepsForAnother(_ key: EntryKey, _ definition: QueryDefinition) -> Bool {
    guard let persister = persisters.persister else { return false }
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].query } }
    let query = keeping(key, definition, known)
    guard query.isPersisted, let policy = query.persistence else { return false }
    return persister.keepsForAnother(key, query.definition, policy)
  }

  /// The query that decides where the data of a key is saved.
  ///
  /// If the given definition has no persistence policy, the query of the entry comes first, because it may
  /// save the data elsewhere, or nowhere.
  private func keeping(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ known: StoredQuery?
  ) -> ResolvedQuery {
    let ofEntry = definition.persistence == nil ? known?.resolved : nil
    return ofEntry ?? resolve(key, definition, defaults)
  }
}

/// The data that a store had for an entry; `nil` if none.
private struct Restored: Sendable {
  let box: ValueBox?
}

// Refetches that are requested while a store is read. Observers that wait for the store fetch
// nothing until then, so the refetches are made afterwards.

nonisolated extension QueryClient {
  /// Refetches entries as soon as their stores have been read.
  ///
  /// If a fetch begins then anyway, the refetch joins it, because that fetch is newer than the
  /// call.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - cause: The cause of the refetches.
  ///   - group: The group in which a caller waits for the refetches; `nil` if none does.
  func refetch(
    onceRestored entries: [RestoringEntry],
    _ cause: FetchCause,
    _ group: WaitGroup?
  ) {
    for entry in entries {
      group?.addOther()
      // The task is detached: no caller waits in it, and a cancelled caller must not end the
      // refetch.
      _ = Task.detached(on: configuration.executor) {
        [weak self, storeOf = store(of: entry)] in
        await storeOf?()
        self?.transaction { state, transaction in
          state.refetch(onceRestored: entry, cause, group, &transaction)
        }
        group?.resolve(.settled)
      }
    }
  }

  /// Waits for the stores of the entries that match a filter, and puts their data into the cache, unless
  /// observers have done that.
  func storesRead(of filter: QueryFilter) async {
    guard persisters.persister != nil else { return }
    let found = search(filter) { state, index, _ in
      state.restoring(index).map { (entry: $0, key: state.slots[index].key) }
    }
    for match in found where !Task.isCancelled {
      guard let (entry, key) = match.item, let wait = store(of: entry) else { continue }
      await wait()
      if let key { _ = restoring(key, entry.query.resolved.definition) }
    }
  }

  /// A closure that waits for the store of an entry without retaining the client.
  func store(of entry: RestoringEntry) -> (@Sendable () async -> Void)? {
    guard let policy = entry.query.resolved.persistence,
      let persister = persisters.persister(for: policy)
    else { return nil }
    return { await persister.waitUntilRestored(policy, within: .infinite) }
  }
}
