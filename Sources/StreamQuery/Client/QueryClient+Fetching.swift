extension QueryClient {
  /// The value of a query: from the cache if it is fresh, otherwise fetched.
  ///
  /// Callers of one key share one fetch. A cancelled caller leaves at once and does not affect the
  /// others. When nobody wants the fetch any longer, the query's ``AbandonmentPolicy`` decides
  /// whether it continues. If a refetch, an invalidation, a reset or a page command replaces the
  /// fetch, its callers wait for the newer one: <doc:Invalidation>. Failures are not retried unless
  /// the query or a default says so.
  ///
  /// A fetch that this call starts sees the caller's task-locals and has its priority, retries
  /// included. A caller that joins the fetch of another caller raises it to its own priority:
  /// <doc:WhereWorkRuns>.
  ///
  /// Inside a fetch, or in the work or a callback of a mutation, it can wait for other fetches,
  /// including those of other clients. A call that would close a circle of fetches and runs that
  /// wait for each other throws ``QueryError/recursiveFetch(key:)`` at once: <doc:Troubleshooting>.
  ///
  /// A part of a streamed value is never returned for the whole. For an endless stream, the newest data is
  /// returned if it delivers, otherwise its first part: <doc:StreamedQueries>.
  ///
  /// If the query allows it, stale data is returned instead of an error:
  /// ``Query/staleIfError(_:)``.
  ///
  /// ```swift
  /// let user = try await client.fetch(.user(42), timeout: .seconds(2))
  /// ```
  ///
  /// After a timeout only this caller gives up: the fetch continues for others that want it, or ends if there
  /// are none, as after a cancellation. If the query allows stale data, that is returned after the time, and
  /// the fetch continues in any case, and lands.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - timeout: How long to wait, by the client's clock; zero or less does not wait, `nil` or more than
  ///     100 years is no limit. Fresh data is always in time.
  ///   - throwOnError: Whether an error is thrown even if the query allows stale data.
  /// - Returns: The value.
  /// - Throws: The fetch's error; `CancellationError` if the caller or the fetch was cancelled and
  ///   there is no data, or only a part of a stream; ``QueryError/timedOut(key:limit:)``;
  ///   ``QueryError/missingFetch(key:)``; ``QueryError/recursiveFetch(key:)``.
  @discardableResult
  public nonisolated func fetch<Value>(
    _ query: Query<Value>,
    timeout: Duration? = nil,
    throwOnError: Bool = false
  ) async throws -> Value {
    let need = throwOnError ? FetchNeed.ifStaleOrThrow : .ifStale
    if let timeout {
      return try await fetch(query, need, within: timeout).value(as: Value.self)
    }
    let key = EntryKey(query.key)
    let start = begin(key, query.definition, need, nil)
    // Here, because a cached value needs no further asynchronous call.
    if case .cached(let box) = start { return box.settled.value(as: Value.self) }
    if case .restoring = start {
      return try await restored(key, query.definition, need, nil).value(as: Value.self)
    }
    return try await outcome(of: start, of: key).outcome.box.value(as: Value.self)
  }

  /// Fetches for a caller that waits for a limited time.
  private nonisolated func fetch<Value>(
    _ query: Query<Value>,
    _ need: FetchNeed,
    within limit: Duration
  ) async throws -> ValueBox {
    let key = EntryKey(query.key)
    var span = TimeSpan(limit)
    let timedOut = QueryError.timedOut(key: key.key.description, limit: limit)
    let start = try await whenRestored(query.definition, within: &span) {
      begin(key, query.definition, need, nil)
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

  /// The value of a query: from the cache at any age, otherwise fetched.
  ///
  /// A part of a streamed value is completed first, unless the stream is endless.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - revalidating: Whether stale data is also refetched in the background.
  /// - Returns: The value.
  /// - Throws: The errors of ``fetch(_:timeout:throwOnError:)``.
  @discardableResult
  public nonisolated func ensure<Value>(
    _ query: Query<Value>,
    revalidating: Bool = false
  ) async throws -> Value {
    try await fetch(query, revalidating ? .ifMissingElseRevalidate : .ifMissing)
      .value(as: Value.self)
  }

  /// Fetches a query ahead of its use, if it is missing or stale; never throws.
  ///
  /// - Parameter query: The query.
  public nonisolated func prefetch<Value>(_ query: Query<Value>) async {
    _ = try? await fetch(query, .ifStale)
  }

  /// The outcome for a caller that waited for too long: stale data that it accepts, or an error.
  private nonisolated func late(_ waiter: Waiter, _ error: QueryError) -> WaitOutcome {
    guard waiter.allowance != nil else { return .failure(error) }
    let data = transaction { $0.serve(waiter, &$1) }
    return data.map(WaitOutcome.value) ?? .failure(error)
  }

  nonisolated func fetch<Value>(
    _ query: Query<Value>,
    _ need: FetchNeed,
    setting: FetchSetting? = nil
  ) async throws -> ValueBox {
    let key = EntryKey(query.key)
    let start = begin(key, query.definition, need, setting)
    if case .cached(let box) = start { return box.settled }
    if case .restoring = start { return try await restored(key, query.definition, need, setting) }
    return try await outcome(of: start, of: key).outcome.box
  }

  /// Waits for the fetch that a caller's request started or joined.
  nonisolated func outcome(
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
      guard companions.isEmpty, !WaitObservation.hasBegun else {
        return (await accompaniedOutcome(of: waiter, for: key), waiter.end)
      }
      return (await waiter.outcome { left(waiter) }, waiter.end)
    }
  }

  /// The value of a query whose store has not answered yet.
  ///
  /// Never inlined, so that the tasks of other fetches need no room for it.
  @inline(never)
  private nonisolated func restored(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: FetchNeed,
    _ setting: FetchSetting?
  ) async throws -> ValueBox {
    let start = try await whenRestored(definition) { begin(key, definition, need, setting) }
    if case .cached(let box) = start { return box.settled }
    return try await outcome(of: start, of: key).outcome.box
  }

  /// Begins or joins a fetch for a caller, if it is needed.
  ///
  /// Never inlined: an asynchronous function owns its arguments, and would count references to
  /// them.
  @inline(never)
  nonisolated func begin(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: FetchNeed,
    _ setting: FetchSetting?
  ) -> FetchStart {
    if setting == nil, let shards = cache.shards,
      let data = offered(key, definition, need, shards)
    {
      return .cached(data)
    }
    return resolving(key, definition) { state, index, resolution, transaction in
      // Made here, so that no reference-counted argument is captured.
      let request = FetchRequest(cause: .manual, setting: setting)
      return state.fetch(key, at: index, need, request, role: .leasing, resolution, &transaction)
    }
  }
}
