extension QueryClient {
  /// Marks entries as invalidated, so that they are stale whatever their age, and refetches.
  ///
  /// Data stays and is shown. Of the marked entries those in scope are refetched at once: a running
  /// fetch over data is replaced, for its answer may be older than the mark. A first load is joined, and
  /// so is a fetch that took the place of another three times in a row, so that a storm of invalidations
  /// cannot keep every answer away: its answer lands, stays marked, and is fetched once more while an
  /// enabled observer is there. A fetch that invalidates itself is not fetched once more when it
  /// cannot be replaced. Static queries are marked but not refetched. The filter is evaluated once, and
  /// the marks are one turn: the cache is locked for all of them, see <doc:Performance>.
  ///
  /// The marks are set at the call. It returns when all refetches are settled, failed ones included and
  /// the one that follows a joined fetch too, or paused; a cancelled caller returns at once and the
  /// refetches go on.
  ///
  /// - Parameters:
  ///   - filter: Which entries to mark.
  ///   - refetch: Which of the marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced; `false` joins them and takes their
  ///     answers for new enough: they clear the mark.
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
  ///   - superseding: Whether running fetches over data are replaced, at most three times in a row;
  ///     `false` joins them.
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
    _ = await gathering.wait(observed("fetches of queries"), onCancel: leaving(gathering))
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
  /// - Complexity: One turn, in which the cache is locked for all that is removed, about a microsecond
  ///   each; `.all` as ``clear()``.
  public nonisolated func remove(_ filter: QueryFilter) {
    if case .all = filter.node {
      turn { state, turn in state.removeAll(reason: .removed, &turn) }
      return
    }
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
  /// is reset or dropped. An archive does not bring runs back that were performed; those that were
  /// paused it does, see <doc:Archives>.
  ///
  /// - Complexity: One turn, in which the cache is locked for O(*k*) in the entries that are observed or
  ///   fetched and the runs; the others are freed afterwards. While somebody listens to events, O(*n*).
  public nonisolated func clear() {
    turn { state, turn in
      state.clearMutations(&turn)
      state.removeAll(reason: .cleared, &turn)
    }
  }

  // MARK: Steps

  private nonisolated func invalidating(
    _ filter: QueryFilter,
    _ scope: RefetchScope,
    _ superseding: Bool,
    failsFast: Bool
  ) async -> (any Error)? {
    let gathering = Gathering(failsFast: failsFast)
    startInvalidation(filter, scope, superseding: superseding, .invalidated, gathering)
    gathering.open()
    return await gathering.wait(observed("fetches of queries"), onCancel: leaving(gathering))
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
        // A fetch that invalidates itself would never come to an end.
        let effects = state.slots[index].machine.invalidated(
          isJoining: !superseding || state.waitsForCaller(index, turn),
          in: turn.world
        )
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
    return await gathering.wait(observed("fetches of queries"), onCancel: leaving(gathering))
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
    let initial = search(filter) { state, index, _ in state.initialData(of: index) }
    var seeds: [EntryID: Seed] = [:]
    for finding in initial {
      guard let data = finding.item else { continue }
      seeds[finding.id] = Seed(data)
    }
    var round = 0
    var isDone = false
    while !isDone {
      round += 1
      let isLast = round == 3
      // So are options that depend on the entry: who is enabled once it is empty is refetched.
      let asked = select(filter) { [seeds] state, indices, turn in
        indices.compactMap { state.questionsOfReset($0, seeds[state.id(of: $0)], turn) }
      }
      let answers = Dictionary(
        asked.map { ($0.entry, $0.answered) },
        uniquingKeysWith: { $1 }
      )
      isDone = select(filter) { [seeds] state, indices, turn in
        let isOutdated = indices.contains { index in
          answers[state.id(of: index)].map { $0.revision != state.slots[index].revision } ?? false
        }
        guard isLast || !isOutdated else { return false }
        for index in indices {
          let id = state.id(of: index)
          state.reset(index, seeds[id], answers[id]?.profiles ?? [], gathering, &turn)
        }
        return true
      }
    }
  }
}
