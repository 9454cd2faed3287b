nonisolated extension QueryClient {
  /// Fetches for a caller that waits for a limited time.
  func fetch<Value>(
    _ query: Query<Value>,
    _ need: CachePolicy,
    within limit: Duration
  ) async throws -> ValueBox {
    let key = EntryKey(query.key)
    var span = TimeSpan(limit)
    let timedOut = QueryError.timedOut(key: key.key.description, limit: limit)
    let start = try await whenRestored(key, query.definition, within: &span) {
      beginFetch(key, query.definition, need, nil, for: $0)
    }
    if case .restoring = start { throw Task.isCancelled ? CancellationError() : timedOut }
    guard case .waiting(let waiter) = start else {
      return try await outcome(of: start, of: key).outcome.box
    }
    let leave: @Sendable () -> Void = { self.left(waiter) }
    if span == .zero {
      waiter.leave(as: Task.isCancelled ? .cancelled : late(waiter, timedOut), leave)
    }
    let deadline =
      span == .zero
      ? nil
      : deadlines.set(span) { waiter.leave(as: self.late(waiter, timedOut), leave) }
    defer { deadline?.cancel() }
    return try await outcome(of: start, of: key).outcome.box
  }

  /// The outcome for a caller that waited for too long: stale data that the caller accepts, or an error.
  func late(_ waiter: Waiter, _ error: QueryError) -> WaitOutcome {
    guard waiter.allowance != nil else { return .failure(error) }
    let data = transaction { $0.serve(waiter, &$1) }
    return data.map(WaitOutcome.value) ?? .failure(error)
  }

  func fetch<Value>(
    _ query: Query<Value>,
    _ need: CachePolicy,
    setting: FetchSetting? = nil
  ) async throws -> ValueBox {
    let key = EntryKey(query.key)
    let start = beginFetch(key, query.definition, need, setting)
    if case .cached(let box) = start { return box.settled }
    if case .restoring = start { return try await restored(key, query.definition, need, setting) }
    return try await outcome(of: start, of: key).outcome.box
  }

  /// Waits for the fetch that a caller's request started or joined.
  func outcome(
    of start: FetchStart,
    of key: EntryKey
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    switch start {
    case .cached(let box): return (.value(box), nil)
    case .failed(let box): throw box.error
    case .missingFetch: throw QueryError.missingFetch(key: key.key.description)
    case .recursive, .restoring: throw QueryError.recursiveFetch(key: key.key.description)
    case .shutDown: throw QueryError.shutDown
    case .waiting(let waiter):
      guard companions.isEmpty else {
        return (await accompaniedOutcome(of: waiter, for: key), waiter.end)
      }
      guard !WaitObservation.hasBegun else {
        return (await reportedOutcome(of: waiter, for: key), waiter.end)
      }
      return (await waiter.outcome { left(waiter) }, waiter.end)
    }
  }

  /// The value of a query, after a wait for the store, which has not been read yet.
  ///
  /// This is not inlined, so that the tasks of other fetches need no room for it.
  @inline(never)
  func restored(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: CachePolicy,
    _ setting: FetchSetting?
  ) async throws -> ValueBox {
    let start = try await whenRestored(key, definition) {
      beginFetch(key, definition, need, setting, for: $0)
    }
    if case .cached(let box) = start { return box.settled }
    return try await outcome(of: start, of: key).outcome.box
  }

  /// Begins or joins a fetch for a caller, if a fetch is needed, and the caller was not cancelled.
  ///
  /// It is not inlined, because an asynchronous function owns its arguments, and would retain them.
  @inline(never)
  func beginFetch(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: CachePolicy,
    _ setting: FetchSetting?,
    for caller: RestoringCaller? = nil
  ) -> FetchStart {
    if setting == nil, let shards = cache.shards,
      let data = publishedData(key, definition, need, shards)
    {
      return .cached(data)
    }
    if let caller { return beginFetch(key, definition, need, setting, unlessCancelled: caller) }
    return resolving(key, definition) { state, key, index, resolution, transaction in
      // The request is made inside the closure, so that the closure captures nothing that it would
      // have to retain.
      let request = FetchRequest(cause: .manual, setting: setting)
      return state.fetch(key, at: index, need, request, role: .leasing, resolution, &transaction)
    }
  }

  private func beginFetch(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: CachePolicy,
    _ setting: FetchSetting?,
    unlessCancelled caller: RestoringCaller
  ) -> FetchStart {
    resolving(key, definition) { state, key, index, resolution, transaction in
      if caller.isCancelled { return .recursive }
      let request = FetchRequest(cause: .manual, setting: setting)
      return state.fetch(key, at: index, need, request, role: .leasing, resolution, &transaction)
    }
  }
}
