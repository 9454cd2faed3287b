extension QueryClient {
  /// The cached data of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The data, stale or not; `nil` without any.
  public nonisolated func data<Value>(for query: Query<Value>) -> Value? {
    data(for: query.key)
  }

  /// The cached data of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The data, stale or not; `nil` without any.
  @_disfavoredOverload
  public nonisolated func data<Value>(for key: QueryKey<Value>) -> Value? {
    let key = EntryKey(key)
    let box = cache.read { state in state.find(key).flatMap { state.slots[$0].visible } }
    guard let layered = box as? LayeredBox else { return box?.value(as: Value.self) }
    return layered.shown?.value(as: Value.self)
  }

  /// The present state of a query, for a first frame; it makes no entry and starts no fetch.
  ///
  /// - Parameter query: The query.
  /// - Returns: The state.
  public nonisolated func result<Value>(for query: Query<Value>) -> QueryResult<Value> {
    let key = EntryKey(query.key)
    let moment = cache.clock.now()
    let quick = cache.read { state -> (ResolvedPlan, Frame, QueryFlags)? in
      guard let index = state.find(key), let plan = state.slots[index].plan,
        plan.isMade(of: query.plan, under: state.defaults), let profile = plan.fixedProfile
      else { return nil }
      let flags = state.slots[index].machine.flags(
        for: profile,
        since: nil,
        at: max(moment, state.latest.moment)
      )
      return (plan, state.frame(index), flags)
    }
    if let (plan, frame, flags) = quick {
      let shown = stand(in: plan, for: frame, flags)
      return QueryResult(frame: shown.0, flags: shown.1)
    }
    let plan = resolve(key, query.plan, defaults)
    let facts = plan.isDynamic ? cache.read { $0.facts(key, at: moment) } : nil
    let profile = plan.profile { (facts ?? EntryFacts.empty(key)).info }
    let (frame, flags) = cache.read { state -> (Frame, QueryFlags) in
      guard let index = state.find(key) else {
        return (.empty, profile.isEnabled ? [.enabled, .stale] : [])
      }
      let flags = state.slots[index].machine.flags(
        for: profile,
        since: nil,
        at: max(moment, state.latest.moment)
      )
      return (state.frame(index), flags)
    }
    var shown = stand(in: plan, for: frame, flags)
    if shown.0.paging == nil, let paging = plan.plan.paging {
      shown.0 = Frame(shown.0, paging: paging)
    }
    return QueryResult(frame: shown.0, flags: shown.1)
  }

  /// The present state of a key, for a first frame.
  ///
  /// - Parameter key: The key.
  /// - Returns: The state.
  @_disfavoredOverload
  public nonisolated func result<Value>(for key: QueryKey<Value>) -> QueryResult<Value> {
    result(for: Query(key: key))
  }

  /// Keys and data of the entries of one value type under a filter.
  ///
  /// - Parameters:
  ///   - type: The value type.
  ///   - filter: Which entries.
  /// - Returns: The entries that have data, in the order of their making within a prefix.
  /// - Complexity: O(*m*) in the matches of the filter's key or prefix.
  public nonisolated func entries<Value: Sendable>(
    of type: Value.Type,
    _ filter: QueryFilter = .all
  ) -> [(key: QueryKey<Value>, data: Value)] {
    diagnostics(filter).compactMap { info in
      guard info.entryKey.valueTypeID == ObjectIdentifier(type), let data = info.frame.data
      else { return nil }
      return (QueryKey(info.key), data.value(as: Value.self))
    }
  }

  /// Whether a query's data is missing, invalidated or too old by the query's own stale time.
  ///
  /// - Parameter query: The query.
  /// - Returns: Whether it is stale.
  public nonisolated func isStale<Value>(_ query: Query<Value>) -> Bool {
    let key = EntryKey(query.key)
    let plan = resolve(key, query.plan, defaults)
    let now = cache.now(isDated: false)
    let facts = plan.isDynamic ? cache.read { $0.facts(key, at: now.moment) } : nil
    let freshness = plan.profile { (facts ?? EntryFacts.empty(key)).info }.freshness
    return cache.read { state in
      guard let index = state.find(key) else { return true }
      return state.slots[index].machine.isStale(
        freshness,
        at: max(now.moment, state.latest.moment)
      )
    }
  }

  /// How many entries are fetching.
  ///
  /// - Parameter filter: Which entries count.
  /// - Returns: Their number; paused ones do not count.
  public nonisolated func fetchingCount(_ filter: QueryFilter = .all) -> Int {
    select(.fetching && filter) { state, indices, _ in indices.count }
  }

  /// What the cache knows of each entry.
  ///
  /// - Parameter filter: Which entries.
  /// - Returns: A snapshot of each, in the order of their making within a prefix.
  public nonisolated func diagnostics(_ filter: QueryFilter = .all) -> [QueryInfo] {
    select(filter) { state, indices, turn in
      indices.compactMap { state.info($0, at: turn.world.now.moment) }
    }
  }
}

extension QueryClient {
  /// What still runs or is held by somebody: for leak reports of simulations.
  package nonisolated var liveness: Liveness {
    let (consumers, busy, runs) = cache.read { state in
      let busy = state.live.sorted().compactMap { index -> AnyQueryKey? in
        state.slots[Int(index)].machine.isIdle ? nil : state.slots[Int(index)].key?.key
      }
      let runs = state.mutations.all.compactMap { id -> AnyQueryKey? in
        guard let index = state.mutations.find(id), state.mutations.slots[index].machine.isPending
        else { return nil }
        return state.mutations.slots[index].job?.plan.key.key
      }
      return (state.consumerCount + state.mutations.followers.count, busy, runs)
    }
    return Liveness(
      unfinished: busy.map { "a fetch of \($0) that is not settled" }
        + runs.map { "a run of the mutation \($0) that is not over" },
      subscribers: consumers
    )
  }
}

extension CacheState {
  mutating func facts(_ key: EntryKey, at now: Moment) -> EntryFacts? {
    guard let index = find(key), let info = info(index, at: now) else { return nil }
    return EntryFacts(info: info, revision: slots[index].revision)
  }
}
