extension QueryClient {
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

  @inline(__always)
  private nonisolated func data<Value: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition?
  ) -> Value? {
    let box =
      isRecorded
      ? recordedData(key)
      : cache.read { state in state.find(key).flatMap { state.slots[$0].visible } }
    guard let box else { return missing(key, definition) }
    guard let layered = box as? LayeredBox else { return box.value(as: Value.self) }
    return shownData(of: layered, key, definition)
  }

  /// The data with optimistic changes.
  ///
  /// Never inlined: each read would look up the type of an optional value for it.
  @inline(never)
  private nonisolated func shownData<Value: Sendable>(
    of layered: LayeredBox,
    _ key: EntryKey,
    _ definition: QueryDefinition?
  ) -> Value? {
    if layered.base == nil, let restored: Value = dataBelowLayers(key, definition) {
      return restored
    }
    return layered.shown?.value(as: Value.self)
  }

  /// The data of a store with optimistic changes, if these lie over no data so far.
  @inline(never)
  private nonisolated func dataBelowLayers<Value: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition?
  ) -> Value? {
    guard persisters.persister != nil || definition?.persistence != nil,
      restoring(key, definition ?? QueryDefinition(of: Value.self)) != nil,
      let box = cache.read({ state in state.find(key).flatMap { state.slots[$0].visible } })
    else { return nil }
    guard let layered = box as? LayeredBox else { return box.value(as: Value.self) }
    return layered.shown?.value(as: Value.self)
  }

  /// The data of a key, recorded as a use for the limit and published for readers without the lock.
  @inline(never)
  private nonisolated func recordedData(_ key: EntryKey) -> ValueBox? {
    if let shards = cache.shards, let offer = shards.offer(of: key) {
      shards.noteUse(of: offer, isLookup: false)
      return offer.data
    }
    return cache.record { state in
      guard let index = state.find(key) else { return nil }
      state.noteUse(of: index)
      state.offer(index)
      return state.slots[index].visible
    }
  }

  /// The data of a store for a key without data in the cache.
  @inline(never)
  private nonisolated func missing<Value: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition?
  ) -> Value? {
    // A query with a persistence policy of its own is restored at its first use, which may be this
    // one.
    if persisters.persister != nil || definition?.persistence != nil,
      let box = restoring(key, definition ?? QueryDefinition(of: Value.self))
    {
      if isLimited { noteUse(of: key) }
      return box.value(as: Value.self)
    }
    noteMiss(of: key, Value.self)
    return nil
  }

  /// The first result of a new observer of a query; this makes no entry, starts no fetch and opens no store.
  ///
  /// This is the first element of ``stream(_:options:)-(Query<Value>,_)``: initial data or a placeholder if
  /// the cache has no data, and fetching, or paused, if the subscription would start a fetch. Dynamic options
  /// of other observers are not evaluated, although initial data could enable them. For a query that is only
  /// a key, it is the cached state, because nobody subscribes to a bare key.
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

  /// Reads without options, so that no room is made for them.
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
      let (snapshot, flags) = state.firstLook(key, known, resolvedOptions, at: now)
      return (known, snapshot, flags)
    }
    if let (query, snapshot, flags) = quick { return shown(snapshot, flags, query) }
    let definition = placing(query.definition, on: key)
    let (snapshot, flags) = look(key, resolve(key, definition, defaults), at: now)
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  /// Makes the first result of a new observer, without a value type.
  nonisolated func look(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?
  ) -> (EntrySnapshot, QueryFlags) {
    if isLimited { noteUse(of: key) }
    let now = cache.now(isDated: definition.initialData != nil)
    let definition = placing(definition, on: key)
    let query =
      options == nil
      ? resolve(key, definition, defaults)
      : ResolvedQuery(definition, for: key.key, defaults: defaults, observer: options)
    return look(key, query, at: now)
  }

  private nonisolated func look(
    _ key: EntryKey,
    _ query: ResolvedQuery,
    at now: ClockReading
  ) -> (EntrySnapshot, QueryFlags) {
    // User code runs here, outside the lock.
    let initialData =
      cache.read { state in state.wantsInitialData(state.find(key), query) }
      ? InitialData(of: query) : nil
    let resolvedOptions = query.resolvedOptions(isArrival: true) {
      cache.read { $0.factsOfArrival(key, query, initialData, at: now) }.info
    }
    let (snapshot, flags) = cache.read {
      $0.firstLook(key, query, resolvedOptions, initialData, at: now)
    }
    return completed(snapshot, flags, query)
  }

  /// Evaluates the options of an observer that has left for the present state.
  nonisolated func askedAgain(_ former: DetachedObserver) -> DetachedObserver {
    guard let query = former.query?.resolved, query.isDynamic else { return former }
    let now = cache.now(isDated: false).instant
    let facts = cache.read { state -> EntryFacts? in
      state.find(former.key) == nil ? nil : state.facts(former.key, metBy: query, at: now)
    }
    guard let facts else { return former }
    return DetachedObserver(former, asking: query.resolvedOptions { facts.info })
  }

  /// The present state of a query, without the changes of a subscription.
  nonisolated func present<Value>(_ query: Query<Value>) -> QueryResult<Value> {
    let key = EntryKey(query.key)
    let now = cache.now(isDated: false)
    let query = resolve(key, query.definition, defaults)
    let resolvedOptions = query.resolvedOptions {
      cache.read { $0.facts(key, metBy: query, at: now.instant) }.info
    }
    let (snapshot, flags) = cache.read { state -> (EntrySnapshot, QueryFlags) in
      guard let index = state.find(key) else {
        return (.empty, resolvedOptions.isEnabled ? [.enabled, .stale] : [])
      }
      let flags = state.slots[index].machine.flags(
        for: resolvedOptions,
        since: nil,
        at: max(now.instant, state.environment.now.instant)
      )
      return (state.glimpse(index), flags)
    }
    return shown(snapshot, flags, query)
  }

  private nonisolated func shown<Value>(
    _ snapshot: EntrySnapshot,
    _ flags: QueryFlags,
    _ query: ResolvedQuery
  ) -> QueryResult<Value> {
    let (snapshot, flags) = completed(snapshot, flags, query)
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  private nonisolated func completed(
    _ snapshot: EntrySnapshot,
    _ flags: QueryFlags,
    _ query: ResolvedQuery
  ) -> (EntrySnapshot, QueryFlags) {
    var (snapshot, flags) = withStandIn(of: query, for: snapshot, flags)
    if snapshot.feature == nil, let feature = query.feature {
      snapshot = EntrySnapshot(snapshot, feature: feature)
    }
    return (snapshot, flags)
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
    return cache.read { state in
      guard let index = state.find(key) else { return true }
      return state.slots[index].machine.isStale(
        freshness,
        at: max(now.instant, state.environment.now.instant)
      )
    }
  }

  /// Whether a key's data is missing, invalidated or too old.
  ///
  /// Data has no stale time of its own. The stale time of the newest query or observer with a fetch
  /// applies, so data is stale exactly if a refetch by that query would be due. A filter treats an
  /// observed key as stale if its data is too old for any observer, and ignores the age of data
  /// that nobody observes; see ``QueryFilter/stale``. For data that was only written, the defaults
  /// of its key apply.
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
    let freshness = query.resolvedOptions { facts.info }.freshness
    return cache.read { state in
      guard let index = state.find(key) else { return true }
      return state.slots[index].machine.isStale(
        freshness,
        at: max(now.instant, state.environment.now.instant)
      )
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
