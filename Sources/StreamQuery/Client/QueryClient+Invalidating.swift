nonisolated extension QueryClient {
  /// Marks entries as invalidated, so that they are stale at any age, and refetches those in scope.
  ///
  /// Data stays visible. Marked entries in scope are refetched at once: a running fetch over data is
  /// replaced, because its answer may be older than the mark. A first fetch is joined. A fetch after three
  /// replacements in a row is joined too, so that a storm of invalidations cannot keep every answer away: its
  /// answer is stored, stays marked, and is refetched once while there is an enabled observer. If a fetch
  /// invalidates its own key and cannot be replaced, its answer clears the mark, and no such refetch follows.
  /// Entries that ``refetch(_:superseding:)`` leaves out are marked but not refetched, in any scope.
  ///
  /// Otherwise only a write, or the answer of a fetch that began after the call, clears the mark:
  /// <doc:InvalidationAndTriggers>.
  ///
  /// The filter is evaluated once, and all marks are set in one transaction, which locks the cache for
  /// about 50 ns for each entry.
  ///
  /// The call sets the marks at once, and returns when all refetches are settled, including those that failed
  /// and those that follow a joined fetch. An endless stream settles with its first part:
  /// <doc:InfiniteAndStreamedQueries>. A fetch that is already paused is not awaited. Other fetches do not
  /// count as awaited by a caller: while the app is inactive, their retries wait, and a run of a mutation
  /// that made the call stops waiting. A cancelled caller returns at once, and the refetches continue.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries to mark.
  ///   - refetch: The marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced; `false` joins them and
  ///     accepts their answers as new enough: they clear the mark.
  public nonisolated func invalidate(
    _ filter: QueryFilter,
    refetch: RefetchScope = .active,
    superseding: Bool = true
  ) async {
    _ = await invalidating(filter, refetch, superseding, failsFast: false)
  }

  /// Marks entries as invalidated and starts the refetches of those in scope, without waiting.
  ///
  /// For code that cannot wait, such as a callback; otherwise the same as
  /// ``invalidate(_:refetch:superseding:)``.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries to mark.
  ///   - refetch: The marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced; `false` joins them.
  public nonisolated func markInvalidated(
    _ filter: QueryFilter,
    refetch: RefetchScope = .active,
    superseding: Bool = true
  ) {
    startInvalidation(filter, refetch, superseding: superseding, .invalidated, nil)
  }

  /// Marks a query as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - refetch: Whether to refetch it.
  public nonisolated func invalidate<Value>(
    _ query: Query<Value>,
    refetch: RefetchScope = .active
  ) async {
    prepareToInvalidate(EntryKey(query.key), query.definition, refetch)
    await invalidate(.query(query), refetch: refetch)
  }

  /// Marks a key as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - refetch: Whether to refetch it.
  @_disfavoredOverload
  public nonisolated func invalidate<Value>(
    _ key: QueryKey<Value>,
    refetch: RefetchScope = .active
  ) async {
    await invalidate(.key(key), refetch: refetch)
  }

  /// Invalidates like ``invalidate(_:refetch:superseding:)``, and can throw as soon as a refetch fails.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries to mark.
  ///   - refetch: The marked entries to refetch.
  ///   - superseding: Whether running fetches over data are replaced.
  ///   - throwOnError: Whether a failure of a refetch is thrown, and not only shown in the results.
  /// - Throws: The first failure. A cancelled refetch fails with `CancellationError` if its entry has no data
  ///   or if the call had joined it. The other refetches continue.
  public nonisolated func invalidate(
    _ filter: QueryFilter,
    refetch: RefetchScope = .active,
    superseding: Bool = true,
    throwOnError: Bool
  ) async throws {
    let failure = await invalidating(filter, refetch, superseding, failsFast: throwOnError)
    if throwOnError, let failure { throw failure }
  }

  /// Refetches entries, fresh or not.
  ///
  /// The call leaves out entries whose observers are all disabled, entries that an observer treats as static,
  /// and unobserved entries that had no result in this process. Without observers, entries of disabled and
  /// static queries are refetched, too. An entry that was only written has no fetch closure: its attempts
  /// fail with ``QueryError/missingFetch(key:)`` and are retried, in case a query brings a closure.
  ///
  /// The call returns when all refetches are settled, including those that failed. An endless stream settles
  /// with its first part: <doc:InfiniteAndStreamedQueries>. A fetch that is already paused is not awaited.
  /// Other fetches do not count as awaited by a caller: while the app is inactive, their retries wait, and a
  /// run of a mutation that made the call stops waiting. In the background call
  /// ``refetchStale(_:within:)-(QueryFilter,_)``, which awaits its fetches. A cancelled caller returns at
  /// once, and the refetches continue. An observed entry that waits for a store is refetched when the store
  /// is read.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - superseding: Whether running fetches over data are replaced, at most three times in a row;
  ///     `false` joins them.
  public nonisolated func refetch(_ filter: QueryFilter, superseding: Bool = true) async {
    _ = await refetching(filter, superseding, failsFast: false)
  }

  /// Refetches a query if it is in the cache, under the same conditions as ``refetch(_:superseding:)``.
  ///
  /// An entry without a fetch closure, such as one that was only written, takes that of the query.
  ///
  /// - Parameter query: The query.
  public nonisolated func refetch<Value>(_ query: Query<Value>) async {
    giveFetch(of: EntryKey(query.key), query.definition)
    await refetch(.query(query))
  }

  /// Refetches a key if it is in the cache, under the same conditions as ``refetch(_:superseding:)``.
  ///
  /// - Parameter key: The key.
  @_disfavoredOverload
  public nonisolated func refetch<Value>(_ key: QueryKey<Value>) async {
    await refetch(.key(key))
  }

  /// Refetches like ``refetch(_:superseding:)``, and can throw as soon as a refetch fails.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - superseding: Whether running fetches over data are replaced.
  ///   - throwOnError: Whether a failure is thrown, and not only shown in the results.
  /// - Throws: The first failure. A cancelled refetch fails with `CancellationError` if its entry has no data
  ///   or if the call had joined it. The other refetches continue.
  public nonisolated func refetch(
    _ filter: QueryFilter,
    superseding: Bool = true,
    throwOnError: Bool
  ) async throws {
    let failure = await refetching(filter, superseding, failsFast: throwOnError)
    if throwOnError, let failure { throw failure }
  }

  /// Puts entries back into their initial state, and refetches those with an enabled observer.
  ///
  /// Fetches in flight are cancelled. Callers of a fetch that is restarted get the new fetch's
  /// value; callers of a fetch that is not restarted throw `CancellationError`. The call returns when
  /// the refetches are settled, under the same conditions as ``refetch(_:superseding:)``.
  ///
  /// - Parameter filter: Selects the entries.
  public nonisolated func reset(_ filter: QueryFilter) async {
    let group = WaitGroup(failsFast: false)
    resetting(filter, group)
    group.open()
    _ = await group.wait(observed("fetches of queries"), onCancel: leaving(group))
  }

  /// Puts a query back into its initial state, and refetches it if it has an enabled observer.
  ///
  /// The call returns when the refetch is settled, like ``reset(_:)-(QueryFilter)``.
  ///
  /// - Parameter query: The query.
  public nonisolated func reset<Value>(_ query: Query<Value>) async {
    openStore(of: query)
    await reset(.query(query))
  }

  /// Resets a query like ``reset(_:)-(Query<Value>)``, without waiting for the refetch: for adapters.
  ///
  /// - Parameter query: The query.
  @_spi(Adapters) public nonisolated func startReset<Value>(_ query: Query<Value>) {
    openStore(of: query)
    startReset(.query(query))
  }

  /// Resets entries like ``reset(_:)-(QueryFilter)``, without waiting for the refetches: for adapters.
  ///
  /// - Parameter filter: Selects the entries.
  @_spi(Adapters) public nonisolated func startReset(_ filter: QueryFilter) {
    resetting(filter, nil)
  }

  /// Puts a key back into its initial state, and refetches it if it has an enabled observer.
  ///
  /// The call returns when the refetch is settled, like ``reset(_:)-(QueryFilter)``.
  ///
  /// - Parameter key: The key.
  @_disfavoredOverload
  public nonisolated func reset<Value>(_ key: QueryKey<Value>) async {
    await reset(.key(key))
  }
}
