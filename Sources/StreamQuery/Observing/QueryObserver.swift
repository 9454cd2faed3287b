import Synchronization

/// A handle on one observer of a query: to read it, to wait for changes, and to change its options.
///
/// `client.stream(_:)` and `client.results(of:)` are shorthands for a handle. The handle and its streams are
/// one observer, which observes until one of the streams is cancelled, or all streams and the handle are
/// released.
///
/// ```swift
/// let observer = client.observer(of: .user(1))
/// let drawing = Task {
///   for await result in observer.results { show(result.data) }
/// }
/// observer.update(query: .user(2))     // shows what is cached of user 2 at once
/// ```
public final class QueryObserver<Value: Sendable>: Sendable {
  let subscription: Subscription
  private let asked: Mutex<AskedQuery>

  init(subscription: Subscription, query: Query<Value>, options: ObserverOptions?) {
    self.subscription = subscription
    asked = Mutex(AskedQuery(query, options))
  }

  /// The query that is observed, with the options of the observer over those of the query.
  var askedQuery: AnyQuery {
    let asked = asked.withLock { $0 }
    return AnyQuery(asked.query(of: Value.self), options: asked.options)
  }

  /// The query that is observed.
  public var query: Query<Value> { asked.withLock { $0 }.query(of: Value.self) }

  /// The snapshots as a stream for one observer; a snapshot seen here is not repeated by
  /// ``results``.
  public var stream: AsyncStream<QueryResult<Value>> {
    subscription.stream()
  }

  /// The snapshots as a sequence that stays on the caller's actor; for one observer.
  public var results: QueryResults<Value> {
    QueryResults(query, client: subscription.client).observed(by: subscription)
  }

  /// The observer's present result.
  public var result: QueryResult<Value> { result(after: nil) }

  /// The observer's present result; `nil` after the end of the observation, for example by a shutdown.
  ///
  /// For adapters: if this is `nil`, they continue to show the last result.
  @_spi(Adapters) public var liveResult: QueryResult<Value>? {
    subscription.current(of: EntryKey(query.key)).map(QueryResult.init)
  }

  /// The present state of the query's fetch.
  ///
  /// ``result`` has this state too, but takes longer. After the end of the observation, the state is idle.
  public var fetchStatus: FetchStatus { subscription.fetchStatus }

  /// The observer's present result.
  ///
  /// If the observation has ended and the entry is gone, this is the state `end` in which a fetch left the
  /// entry.
  func result(after end: EntryEnd?) -> QueryResult<Value> {
    let query = query
    return subscription.current(of: EntryKey(query.key), after: end).map(QueryResult.init)
      ?? subscription.client.presentResult(query)
  }

  /// Changes the query or the options in place.
  ///
  /// This is not a new subscription. With the same key, the new options apply at once, for example to an
  /// interval that is running. Enabling the observer refetches stale data. A new placeholder shows at once,
  /// unless it equals the present one or is the same object.
  ///
  /// With another key, the new key's cached data shows at once and is refetched if stale. The
  /// observer leaves the old key's entry, which is never overwritten.
  ///
  /// - Parameters:
  ///   - query: The new query; `nil` keeps the present one.
  ///   - options: The new options; `nil` keeps the present ones.
  public func update(query: Query<Value>? = nil, options: ObserverOptions? = nil) {
    // The old query and options are returned, so that their closures are released outside the lock.
    var (old, new) = asked.withLock { asked in
      let old = asked
      asked = old.updated(query, options)
      return (old, asked)
    }
    while true {
      let (before, now) = (old.query(of: Value.self), new.query(of: Value.self))
      subscription.client.update(subscription.id, now, new.options)
      // Running trigger streams of this key continue: a view that rebuilds its query each time must
      // not restart them.
      if before.key != now.key || before.definition.triggers.count != now.definition.triggers.count
      {
        subscription.forward(now.definition.triggers, into: EntryKey(now.key))
      }
      // A concurrent update may be newer and may have been applied first. An update to the same
      // query and options has nothing to add.
      let newest = asked.withLock { $0 }
      if newest === new { return }
      (old, new) = (new, newest)
    }
  }

  /// Lets the fetch that is running now outlive the observer by a duration.
  ///
  /// This is ``ObserverOptions/linger`` for one fetch. If the options, the query or the defaults of its key
  /// set an abandonment policy, that policy applies instead.
  ///
  /// For adapters, just before an observer is released: a view that is back in time finds its fetch still
  /// running. Setting the option from the start would cost each observer more. Without a running fetch, or
  /// after the end of the observation, the call does nothing; ``update(query:options:)`` undoes the call.
  ///
  /// - Parameter duration: How long; zero or less cancels the fetch at once.
  @_spi(Adapters) public func linger(_ duration: Duration) { subscription.linger(duration) }

  /// Fetches, even if the data is fresh or the query is disabled, and waits until the fetch is
  /// settled.
  ///
  /// A failure is in the result's `error`; with `throwOnError` it is thrown. Cancelling the caller ends its
  /// wait, not the fetch. Retries wait while the app is inactive. If the fetch is cancelled, the call returns
  /// the state after the cancellation.
  ///
  /// ```swift
  /// let result = try await client.observer(of: .user(42)).refetch()
  /// show(result.data, result.error)
  /// ```
  ///
  /// - Parameters:
  ///   - superseding: Whether a running fetch is replaced if there is data; `false` joins it.
  ///   - throwOnError: Whether a failure or a cancellation of the fetch is thrown; a failure is in the
  ///     results of all observers as well.
  /// - Returns: The result after the fetch, with its error if it failed.
  /// - Throws: ``QueryError/missingFetch(key:)`` if the query cannot fetch; ``QueryError/shutDown``;
  ///   ``QueryError/recursiveFetch(key:)`` if a fetch of the query makes the call and is not replaced by it.
  ///   With `throwOnError`, also the error of the fetch, and `CancellationError` if the caller was cancelled.
  ///   That error is also thrown if the fetch was cancelled, and there is no data or the call had only joined
  ///   the fetch.
  @discardableResult
  public func refetch(
    superseding: Bool = true,
    throwOnError: Bool = false
  ) async throws -> QueryResult<Value> {
    let (outcome, end) = try await watchRefetch(
      joining: EntryMachine.Joining(superseding: superseding)
    )
    switch outcome {
    case .failure(let error) where throwOnError: throw error
    case .cancelled where throwOnError: throw CancellationError()
    case .failure, .cancelled, .value, .settled: return result(after: end)
    }
  }

  /// Begins a refetch without waiting, for buttons.
  ///
  /// The fetch does not retain the handle.
  ///
  /// After the end of the observation, nothing happens. Otherwise this is the same as
  /// ``refetch(superseding:throwOnError:)``; if that call would throw, nothing happens.
  ///
  /// - Parameter superseding: Whether a running fetch is replaced if there is data; `false` joins
  ///   it.
  public func startRefetch(superseding: Bool = true) {
    startRefetch(joining: EntryMachine.Joining(superseding: superseding))
  }

  /// Fetches, and replaces any running fetch: even one without data, and however often one was replaced
  /// before.
  ///
  /// For adapters whose fetch reads input that changes: the answer to earlier input is never cached. Callers
  /// that wait for a replaced fetch wait for the new one. A fetch that makes this call itself is replaced at
  /// most three times in a row. Otherwise this is the same as ``refetch(superseding:throwOnError:)``.
  ///
  /// - Returns: The result after the fetch, with its error if it failed.
  /// - Throws: The errors of ``refetch(superseding:throwOnError:)`` without `throwOnError`.
  @_spi(Adapters)
  @discardableResult
  public func refetchAnew() async throws -> QueryResult<Value> {
    result(after: try await watchRefetch(joining: .none).end)
  }

  /// Begins ``refetchAnew()`` without waiting, for buttons.
  @_spi(Adapters) public func startRefetchAnew() { startRefetch(joining: .none) }

  private func startRefetch(joining: EntryMachine.Joining) {
    subscription.client.startRefetchOne(for: subscription.id, askedQuery, joining: joining)
  }

  private func watchRefetch(
    joining: EntryMachine.Joining
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    try await subscription.client.refetchOne(askedQuery, joining: joining)
  }

  /// Marks the query as invalidated and refetches it if it is observed and enabled.
  public func invalidate() async {
    await subscription.client.invalidate(query)
  }

  /// Puts the query back into its initial state, with initial data, and refetches it if enabled.
  public func reset() async {
    await subscription.client.reset(query)
  }
}

nonisolated extension QueryClient {
  /// Fetches one key for an explicit call, and watches until the fetch is settled.
  func refetchOne(
    _ query: AnyQuery,
    part: FetchPart = .whole,
    joining: EntryMachine.Joining
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    let (key, definition, options) = (query.entryKey, query.definition, query.options)
    let start = try? await whenRestored(key, definition) { caller in
      let request = FetchRequest(cause: .manual, joining: joining, part: part)
      return resolving(key, definition, options) { state, key, index, resolution, transaction in
        if caller?.isCancelled == true { return .recursive }
        return state.fetch(
          key,
          at: index,
          .always,
          request,
          role: .watching,
          resolution,
          &transaction
        )
      }
    }
    // The caller was cancelled, or the key removed, while the store was read.
    guard let start else { return (.cancelled, nil) }
    return try await outcome(of: start, of: key)
  }

  /// Begins to fetch one key for an explicit call, without waiting.
  ///
  /// If the query's store is still being read, the fetch begins afterwards, unless the observer left the key.
  func startRefetchOne(
    for observer: ObserverID,
    _ query: AnyQuery,
    part: FetchPart = .whole,
    joining: EntryMachine.Joining
  ) {
    let (key, definition, options) = (query.entryKey, query.definition, query.options)
    let request = FetchRequest(cause: .manual, joining: joining, part: part)
    let begin: @Sendable (RestoringCaller?) -> FetchStart = { [self] caller in
      resolving(key, definition, options) { state, key, index, resolution, transaction in
        if caller?.isCancelled == true { return .recursive }
        // Without the observer, nobody would end the fetch.
        guard let row = state.find(observer), index == Int(state.observers[row].entry) else {
          return .missingFetch
        }
        return state.fetch(key, at: index, .always, request, role: nil, resolution, &transaction)
      }
    }
    guard case .restoring = begin(nil) else { return }
    // The task retains the client only while the store is read.
    _ = Task(on: configuration.executor) {
      _ = try? await self.whenRestored(key, definition, begin)
    }
  }
}
