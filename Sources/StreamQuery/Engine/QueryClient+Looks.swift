nonisolated extension QueryClient {
  @inline(__always)
  func data<Value: Sendable>(
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
  /// It is not inlined, because each read would then look up the type of an optional value.
  @inline(never)
  func shownData<Value: Sendable>(
    of layered: LayeredBox,
    _ key: EntryKey,
    _ definition: QueryDefinition?
  ) -> Value? {
    if layered.base == nil, let restored: Value = dataBelowLayers(key, definition) {
      return restored
    }
    return layered.shown?.value(as: Value.self)
  }

  /// The data of a store with optimistic changes, for a key that has such changes but no data in
  /// the cache.
  @inline(never)
  func dataBelowLayers<Value: Sendable>(
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

  /// Reads the data of a key, records the read as a use, and publishes a copy that is read without the lock.
  @inline(never)
  func recordedData(_ key: EntryKey) -> ValueBox? {
    if let shards = cache.shards, let offer = shards.replica(of: key) {
      shards.noteUse(of: offer, isLookup: false)
      return offer.data
    }
    return cache.record { state in
      guard let index = state.find(key) else { return nil }
      state.noteUse(of: index)
      state.publish(index)
      return state.slots[index].visible
    }
  }

  /// The data of a store for a key without data in the cache.
  @inline(never)
  func missing<Value: Sendable>(
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

  /// Makes the first result of a new observer, without a value type.
  func look(
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

  func look(
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
      $0.firstLook(key, $0.find(key), query, resolvedOptions, initialData, at: now)
    }
    return completed(snapshot, flags, query)
  }

  /// Evaluates again the options of an observer that has left, with the present state of its entry.
  func askedAgain(_ former: DetachedObserver) -> DetachedObserver {
    guard let query = former.query?.resolved, query.isDynamic else { return former }
    let now = cache.now(isDated: false).instant
    let facts = cache.read { state -> EntryFacts? in
      state.find(former.key) == nil ? nil : state.facts(former.key, metBy: query, at: now)
    }
    guard let facts else { return former }
    return DetachedObserver(former, asking: query.resolvedOptions { facts.info })
  }

  /// The result of a query now, as a single read: without what subscribing would change, such as
  /// initial data or a first fetch.
  func presentResult<Value>(_ query: Query<Value>) -> QueryResult<Value> {
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
      return (state.currentSnapshot(index), flags)
    }
    return shown(snapshot, flags, query)
  }

  func shown<Value>(
    _ snapshot: EntrySnapshot,
    _ flags: QueryFlags,
    _ query: ResolvedQuery
  ) -> QueryResult<Value> {
    let (snapshot, flags) = completed(snapshot, flags, query)
    return QueryResult(snapshot: snapshot, flags: flags)
  }

  func completed(
    _ snapshot: EntrySnapshot,
    _ flags: QueryFlags,
    _ query: ResolvedQuery
  ) -> (EntrySnapshot, QueryFlags) {
    var (snapshot, flags) = withPlaceholder(of: query, for: snapshot, flags)
    if snapshot.feature == nil, let feature = query.feature {
      snapshot = EntrySnapshot(snapshot, feature: feature)
    }
    return (snapshot, flags)
  }
}
