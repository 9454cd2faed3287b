extension QueryClient {
  /// Marks entries as invalidated, so that they are stale whatever their age, and refetches.
  ///
  /// Data stays and is shown. Of the marked entries those in scope are refetched at once: a running
  /// fetch over data is replaced, for its answer may be older than the mark; a first load is joined.
  /// Static queries are marked but not refetched. The filter is evaluated once.
  ///
  /// The marks are set at the call. It returns when all refetches are settled, failed ones included,
  /// or paused; a cancelled caller returns at once and the refetches go on.
  ///
  /// - Parameters:
  ///   - filter: Which entries to mark.
  ///   - refetch: Which of the marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced; `false` joins them, and their
  ///     answers clear the mark.
  public nonisolated func invalidate(
    _ filter: QueryFilter,
    refetch: RefetchScope = .active,
    superseding: Bool = true
  ) async {
    _ = await invalidating(filter, refetch, superseding, failsFast: false)
  }

  /// Marks a query as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - query: Which query.
  ///   - refetch: Whether to refetch it.
  public nonisolated func invalidate<Value>(
    _ query: Query<Value>,
    refetch: RefetchScope = .active
  ) async {
    await invalidate(.query(query), refetch: refetch)
  }

  /// Marks a key as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - key: Which key.
  ///   - refetch: Whether to refetch it.
  @_disfavoredOverload
  public nonisolated func invalidate<Value>(
    _ key: QueryKey<Value>,
    refetch: RefetchScope = .active
  ) async {
    await invalidate(.key(key), refetch: refetch)
  }

  /// As ``invalidate(_:refetch:superseding:)``, but a failed refetch is thrown as soon as it failed.
  ///
  /// - Parameters:
  ///   - filter: Which entries to mark.
  ///   - refetch: Which of the marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced.
  /// - Throws: The first failure, or `CancellationError` for a refetch that was cancelled; the other
  ///   refetches go on.
  public nonisolated func invalidateThrowing(
    _ filter: QueryFilter,
    refetch: RefetchScope = .active,
    superseding: Bool = true
  ) async throws {
    let failure = await invalidating(filter, refetch, superseding, failsFast: true)
    if let failure { throw failure }
  }

  /// Refetches entries, fresh or not.
  ///
  /// Left out are entries whose observers are all disabled, static ones, unobserved ones that never
  /// had a result, and those that nobody gave a fetch.
  ///
  /// It returns when all are settled, failed ones included, or paused; a cancelled caller returns at
  /// once and the refetches go on.
  ///
  /// - Parameters:
  ///   - filter: Which entries.
  ///   - superseding: Whether running fetches over data are replaced; `false` joins them.
  public nonisolated func refetch(_ filter: QueryFilter, superseding: Bool = true) async {
    _ = await refetching(filter, superseding, failsFast: false)
  }

  /// Refetches a query if it is in the cache.
  ///
  /// - Parameter query: Which query.
  public nonisolated func refetch<Value>(_ query: Query<Value>) async {
    await refetch(.query(query))
  }

  /// Refetches a key if it is in the cache.
  ///
  /// - Parameter key: Which key.
  @_disfavoredOverload
  public nonisolated func refetch<Value>(_ key: QueryKey<Value>) async {
    await refetch(.key(key))
  }

  /// As ``refetch(_:superseding:)``, but a failure is thrown as soon as it happened.
  ///
  /// - Parameters:
  ///   - filter: Which entries.
  ///   - superseding: Whether running fetches over data are replaced.
  /// - Throws: The first failure, or `CancellationError` for a refetch that was cancelled; the other
  ///   refetches go on.
  public nonisolated func refetchThrowing(
    _ filter: QueryFilter,
    superseding: Bool = true
  ) async throws {
    if let failure = await refetching(filter, superseding, failsFast: true) { throw failure }
  }

  /// Puts entries back to their beginning, initial data included, and refetches those with an
  /// enabled observer.
  ///
  /// Fetches in flight are cancelled. Whoever called for a fetch that starts anew gets the new
  /// one's value; other callers throw `CancellationError`. It returns when the refetches are settled.
  ///
  /// - Parameter filter: Which entries.
  public nonisolated func reset(_ filter: QueryFilter) async {
    let gathering = Gathering(failsFast: false)
    resetting(filter, gathering)
    gathering.open()
    _ = await gathering.wait(onCancel: leaving(gathering))
  }

  /// Puts a query back to its beginning.
  ///
  /// - Parameter query: Which query.
  public nonisolated func reset<Value>(_ query: Query<Value>) async {
    await reset(.query(query))
  }

  /// Puts a key back to its beginning.
  ///
  /// - Parameter key: Which key.
  @_disfavoredOverload
  public nonisolated func reset<Value>(_ key: QueryKey<Value>) async {
    await reset(.key(key))
  }

  /// Cancels the fetches of entries; what the fetches changed is undone.
  ///
  /// Writes and invalidations that came during a fetch stay. Callers that wait get the data that is
  /// there again, or `CancellationError` without any.
  ///
  /// - Parameter filter: Which entries.
  public nonisolated func cancel(_ filter: QueryFilter) {
    select(filter) { state, indices, turn in
      for index in indices {
        state.apply(
          state.slots[index].machine.cancelRequested(in: turn.world),
          index,
          &turn
        )
      }
    }
  }

  /// Cancels the fetch of a query.
  ///
  /// - Parameter query: Which query.
  public nonisolated func cancel<Value>(_ query: Query<Value>) { cancel(.query(query)) }

  /// Cancels the fetch of a key.
  ///
  /// - Parameter key: Which key.
  @_disfavoredOverload
  public nonisolated func cancel<Value>(_ key: QueryKey<Value>) { cancel(.key(key)) }

  /// Removes entries with all they hold.
  ///
  /// Streams of a removed key stay attached, show pending and idle, and fetch at the next trigger,
  /// not at once. Awaiting callers throw `CancellationError`; late answers do not land.
  ///
  /// - Parameter filter: Which entries.
  public nonisolated func remove(_ filter: QueryFilter) {
    select(filter) { state, indices, turn in
      for index in indices { state.remove(index, reason: .removed, &turn) }
    }
  }

  /// Removes the entry of a query.
  ///
  /// - Parameter query: Which query.
  public nonisolated func remove<Value>(_ query: Query<Value>) { remove(.query(query)) }

  /// Removes the entry of a key.
  ///
  /// - Parameter key: Which key.
  @_disfavoredOverload
  public nonisolated func remove<Value>(_ key: QueryKey<Value>) { remove(.key(key)) }

  /// Removes every entry and every run of a mutation: what to call at logout.
  ///
  /// Work that is in flight is cancelled, its callbacks are not called, and those who wait for it
  /// throw `CancellationError`. The handle of a mutation's run that was over still shows it, until it
  /// is reset or dropped.
  public nonisolated func clear() {
    turn { state, turn in
      state.clearMutations(&turn)
      for index in state.slots.indices where state.slots[index].key != nil {
        state.remove(index, reason: .cleared, &turn)
      }
    }
  }

  // MARK: Steps

  /// Evaluates a filter once and makes a turn over its matches.
  ///
  /// Predicates are user code: they are asked outside the lock, and again about entries that moved on
  /// meanwhile; after three rounds the last answers stand.
  @discardableResult
  nonisolated func select<Result: Sendable>(
    _ filter: QueryFilter,
    _ body: (inout CacheState, [Int], inout Turn) -> Result
  ) -> Result {
    guard filter.node.hasPredicate else {
      return turn { state, turn in
        let indices = state.entries(matching: filter.node, at: turn.world.now.moment)
        return body(&state, indices, &turn)
      }
    }
    var round = 0
    while true {
      round += 1
      let now = cache.now()
      let candidates = cache.read { state -> [(EntryID, UInt64, QueryInfo)] in
        var indices: [Int] = []
        state.forEachCandidate(of: filter.node) { indices.append($0) }
        return indices.compactMap { index in
          state.info(index, at: max(now.moment, state.latest.moment)).map {
            (state.id(of: index), state.slots[index].revision, $0)
          }
        }
      }
      let matches = candidates.filter { filter.node.matches($0.2) }
      let result = turn { state, turn -> Result? in
        var indices: [Int] = []
        for (id, revision, _) in candidates {
          guard let index = state.find(id) else { continue }
          if state.slots[index].revision != revision, round < 3 { return nil }
        }
        for (id, _, _) in matches { if let index = state.find(id) { indices.append(index) } }
        return body(&state, indices, &turn)
      }
      if let result { return result }
    }
  }

  private nonisolated func invalidating(
    _ filter: QueryFilter,
    _ scope: RefetchScope,
    _ superseding: Bool,
    failsFast: Bool
  ) async -> (any Error)? {
    let gathering = Gathering(failsFast: failsFast)
    startInvalidation(filter, scope, superseding: superseding, .invalidated, gathering)
    gathering.open()
    return await gathering.wait(onCancel: leaving(gathering))
  }

  nonisolated func startInvalidation(
    _ filter: QueryFilter,
    _ scope: RefetchScope,
    superseding: Bool,
    _ cause: FetchCause,
    _ gathering: Gathering?
  ) {
    select(filter) { state, indices, turn in
      let refetched = indices.map {
        state.isInScope(scope, $0) && state.isBulkRefetched($0)
      }
      for index in indices {
        state.emit(.invalidated, index, turn)
        let effects = state.slots[index].machine.invalidated(in: turn.world)
        state.apply(effects, index, &turn)
      }
      for (index, refetches) in zip(indices, refetched) where refetches {
        state.refetch(index, cause, superseding: superseding, gathering, &turn)
      }
    }
  }

  private nonisolated func refetching(
    _ filter: QueryFilter,
    _ superseding: Bool,
    failsFast: Bool
  ) async -> (any Error)? {
    let gathering = Gathering(failsFast: failsFast)
    startRefetch(filter, superseding: superseding, .manual, gathering)
    gathering.open()
    return await gathering.wait(onCancel: leaving(gathering))
  }

  nonisolated func startRefetch(
    _ filter: QueryFilter,
    superseding: Bool,
    _ cause: FetchCause,
    _ gathering: Gathering?
  ) {
    select(filter) { state, indices, turn in
      for index in indices where state.isBulkRefetched(index) {
        state.refetch(index, cause, superseding: superseding, gathering, &turn)
      }
    }
  }

  private nonisolated func resetting(_ filter: QueryFilter, _ gathering: Gathering) {
    // Initial data is user code: asked before the turn, for every entry that may match.
    let initial = select(filter) { state, indices, _ in
      indices.compactMap { index -> (EntryID, PlanExtras.InitialData)? in
        state.slots[index].plan?.plan.initialData.map { (state.id(of: index), $0) }
      }
    }
    var seeds: [EntryID: Seed] = [:]
    for (id, data) in initial {
      seeds[id] = data.value().map { Seed(box: $0, updatedAt: data.updatedAt) }
    }
    select(filter) { state, indices, turn in
      for index in indices {
        state.emit(.reset, index, turn)
        let isActive = state.slots[index].machine.isActive
        let starter = isActive ? state.takeStarter(index) : nil
        state.empty(index, &turn)
        state.seed(index, seeds[state.id(of: index)], &turn)
        guard isActive else { continue }
        state.refetch(index, .reset, superseding: true, gathering, &turn)
        // Whose fetch was dropped waits for the one that took its place.
        if let starter { state.readmit(starter, index) }
      }
    }
  }
}
