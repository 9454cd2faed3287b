nonisolated extension QueryClient {
  /// The cached data of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The data, stale or not; `nil` if there is none.
  public nonisolated func data<Value>(for query: Query<Value>) -> Value? {
    data(EntryKey(query.key), query.definition)
  }

  /// The cached data of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The data, stale or not; `nil` if there is none.
  @_disfavoredOverload
  public nonisolated func data<Value>(for key: QueryKey<Value>) -> Value? {
    data(EntryKey(key), nil)
  }

  /// The first result of a new observer of a query; this makes no entry, starts no fetch and opens no store.
  ///
  /// This is the first element of ``stream(_:options:)-(Query<Value>,_)``: initial data or a placeholder if
  /// the cache has no data, and fetching, or paused, if the subscription would start a fetch. Dynamic options
  /// of other observers are not evaluated, even if initial data could enable them. For a query that is only a
  /// key, it is the cached state, because nobody subscribes to a bare key.
  ///
  /// ```swift
  /// let now = client.result(for: .user(42))
  /// show(now.data, refreshing: now.isFetching)
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query; its initial data is evaluated if nothing is cached.
  ///   - options: Options of the observer, over those of the query.
  /// - Returns: The first result.
  public nonisolated func result<Value>(
    for query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> QueryResult<Value> {
    guard let options else { return result(for: query) }
    let (snapshot, flags) = look(EntryKey(query.key), query.definition, options)
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  /// Reads without options: unlike the other overload, this one needs no stack space for them.
  @_documentation(visibility: internal)
  public nonisolated func result<Value>(for query: Query<Value>) -> QueryResult<Value> {
    let key = EntryKey(query.key)
    if isLimited { noteUse(of: key) }
    let now = cache.now(isDated: query.definition.initialData != nil)
    let quick = cache.record { state -> (ResolvedQuery, EntrySnapshot, QueryFlags)? in
      // A placeholder from another key belongs to the observer, not to the entry.
      guard !query.definition.makesPlaceholder,
        let index = state.find(key), let known = state.slots[index].query?.resolved,
        known.isMade(of: query.definition, under: state.defaults.table),
        let resolvedOptions = known.fixedOptions, !known.asksOnSubscribe,
        !state.wantsInitialData(index, known)
      else { return nil }
      // The snapshot is stored, because an entry that is read once is usually read again.
      if state.slots[index].snapshot == nil { _ = state.snapshot(index) }
      let (snapshot, flags) = state.firstLook(key, index, known, resolvedOptions, at: now)
      return (known, snapshot, flags)
    }
    if let (query, snapshot, flags) = quick { return shown(snapshot, flags, query) }
    let definition = placing(query.definition, on: key)
    let (snapshot, flags) = look(key, resolve(key, definition, defaults), at: now)
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  /// The present state of a key.
  ///
  /// If no default gives the key a fetch, it is the cached state, because a subscription would not
  /// fetch it either.
  ///
  /// - Parameter key: The key.
  /// - Returns: The state.
  @_disfavoredOverload
  public nonisolated func result<Value>(for key: QueryKey<Value>) -> QueryResult<Value> {
    result(for: Query(key: key))
  }

  /// The keys and data of the entries of one value type that match a filter.
  ///
  /// A record of a store that was not used since the launch is no entry yet.
  ///
  /// - Parameters:
  ///   - type: The value type.
  ///   - filter: Selects the entries.
  /// - Returns: The entries that have data; within a prefix, in the order in which they were made.
  /// - Complexity: The same as ``diagnostics(_:)``.
  public nonisolated func entries<Value: Sendable>(
    of type: Value.Type,
    _ filter: QueryFilter = .all
  ) -> [(key: QueryKey<Value>, data: Value)] {
    diagnostics(filter).compactMap { info in
      guard info.entryKey.valueTypeID == ObjectIdentifier(type), let data = info.snapshot.data
      else { return nil }
      return (QueryKey(info.key), data.value(as: Value.self))
    }
  }

  /// Returns nothing: an entry has one value type.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Returns: None.
  @available(
    *,
    unavailable,
    message: "name the type of the values: entries(of: User.self); diagnostics() has all entries"
  )
  public nonisolated func entries(_ filter: QueryFilter = .all) -> [QueryInfo] { [] }

  /// Whether a query's data is missing, invalidated or too old by the query's own stale time.
  ///
  /// A query that was made from a key alone has the stale time of the defaults. Pass the key to
  /// apply the stale time of the query that fetched the data.
  ///
  /// - Parameter query: The query.
  /// - Returns: Whether it is stale.
  public nonisolated func isStale<Value>(_ query: Query<Value>) -> Bool {
    let key = EntryKey(query.key)
    let query = resolve(key, query.definition, defaults)
    let now = cache.now(isDated: false)
    let facts = query.isDynamic ? cache.read { $0.facts(key, metBy: query, at: now.instant) } : nil
    let freshness = query.resolvedOptions { (facts ?? EntryFacts.empty(key, query)).info }.freshness
    return isStale(key, freshness, at: now)
  }

  /// Whether a key's data is missing, invalidated or too old.
  ///
  /// Stale times belong to queries, and not to data. Among the queries that can fetch, the one that was
  /// observed last, or last began a fetch, decides: the data is stale if that query would refetch it now. If
  /// no query has used the key, because its data was only written, the defaults of the key apply. Filters
  /// have another rule, see ``QueryFilter/stale``.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether it is stale.
  @_disfavoredOverload
  public nonisolated func isStale<Value>(_ key: QueryKey<Value>) -> Bool {
    let key = EntryKey(key)
    let now = cache.now(isDated: false)
    let known = cache.read { state -> (ResolvedQuery, EntryFacts)? in
      guard let index = state.find(key), let query = state.slots[index].query?.resolved,
        let facts = state.facts(key, at: max(now.instant, state.environment.now.instant))
      else { return nil }
      return (query, facts)
    }
    guard let (query, facts) = known else { return true }
    return isStale(key, query.resolvedOptions { facts.info }.freshness, at: now)
  }

  private func isStale(_ key: EntryKey, _ freshness: Freshness, at now: ClockReading) -> Bool {
    cache.read { state in
      guard let index = state.find(key) else { return true }
      let now = max(now.instant, state.environment.now.instant)
      return state.slots[index].machine.isStale(freshness, at: now)
    }
  }

  /// The number of entries that are fetching.
  ///
  /// - Parameter filter: Selects the entries to count.
  /// - Returns: The number, without paused entries.
  public nonisolated func fetchingCount(_ filter: QueryFilter = .all) -> Int {
    select(.fetching && filter) { state, indices, _ in indices.count }
  }

  /// The facts that the cache has about each entry.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Returns: Snapshots of one instant; within a prefix, in the order in which the entries were
  ///   made.
  /// - Complexity: O(*m*) in the matches of the filter's key or prefix. The lock is held for a
  ///   thousand of them at a time; entries that changed meanwhile are read again.
  public nonisolated func diagnostics(_ filter: QueryFilter = .all) -> [QueryInfo] {
    infos(filter)
  }
}
