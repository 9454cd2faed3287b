#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The calls are disfavored, so that a query of the same name wins and no call is ambiguous. Calls that treat
// the query as any other are omitted from the documentation; the page of `DefaultedQuery` mentions them.

/// Queries with a default value: each call does the same as that of its name for a ``Query``, with data that
/// is never `nil`.
nonisolated extension QueryClient {
  // MARK: Observing

  /// Observes a query that has a default: its present state, and every newer one.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of this observer, over those of the query.
  /// - Returns: A stream for one observer; it ends when cancelled or when the client is shut down.
  @_disfavoredOverload
  public nonisolated func stream<Value>(
    _ query: DefaultedQuery<Value>,
    options: ObserverOptions? = nil
  ) -> AsyncStream<DefaultedResult<Value>> {
    let defaultValue = query.defaultValue
    let subscription = subscribe(query.query, options: options)
    // This is not made from the plain stream, because that would need another iterator.
    return AsyncStream(
      unfolding: {
        guard let (snapshot, flags) = await subscription.next() else { return nil }
        return DefaultedResult(QueryResult(snapshot: snapshot, flags: flags), default: defaultValue)
      },
      onCancel: { subscription.cancel() }
    )
  }

  /// Observes a query that has a default, with a cold sequence that stays on the caller's actor.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of each observer, over those of the query.
  /// - Returns: A sequence; each of its iterators is its own subscription.
  @_disfavoredOverload
  public nonisolated func results<Value>(
    of query: DefaultedQuery<Value>,
    options: ObserverOptions? = nil
  ) -> DefaultedResults<Value> {
    DefaultedResults(results(of: query.query, options: options), default: query.defaultValue)
  }

  // MARK: Fetching

  /// The value of a query that has a default: from the cache if it is fresh, otherwise fetched.
  ///
  /// The default does not replace a failure: the error is thrown.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - timeout: How long to wait; zero or less does not wait, `nil` or more than 100 years is no limit.
  ///   - throwOnError: Whether an error is thrown where the query allows stale data.
  /// - Returns: The value.
  /// - Throws: The errors of fetching the query itself.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @discardableResult
  public nonisolated func fetch<Value>(
    _ query: DefaultedQuery<Value>,
    timeout: Duration? = nil,
    throwOnError: Bool = false
  ) async throws -> Value {
    try await fetch(query.query, timeout: timeout, throwOnError: throwOnError)
  }

  /// The value of a query that has a default: from the cache at any age, otherwise fetched.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - revalidating: Whether stale data is also refetched in the background.
  /// - Returns: The value.
  /// - Throws: The errors of fetching the query itself.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @discardableResult
  public nonisolated func ensure<Value>(
    _ query: DefaultedQuery<Value>,
    revalidating: Bool = false
  ) async throws -> Value {
    try await ensure(query.query, revalidating: revalidating)
  }

  /// Fetches the data of a query that has a default before it is used, if the data is missing or
  /// stale; never throws.
  ///
  /// - Parameter query: The query.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func prefetch<Value>(_ query: DefaultedQuery<Value>) async {
    await prefetch(query.query)
  }

  /// Marks a query that has a default as invalidated and refetches it if it is observed.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - refetch: Whether to refetch it.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func invalidate<Value>(
    _ query: DefaultedQuery<Value>,
    refetch: RefetchScope = .active
  ) async {
    await invalidate(query.query, refetch: refetch)
  }

  /// Refetches a query that has a default, if it is in the cache.
  ///
  /// - Parameter query: The query.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func refetch<Value>(_ query: DefaultedQuery<Value>) async {
    await refetch(query.query)
  }

  /// Puts a query that has a default back into its initial state.
  ///
  /// - Parameter query: The query.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func reset<Value>(_ query: DefaultedQuery<Value>) async {
    await reset(query.query)
  }

  /// Cancels the fetch of a query that has a default.
  ///
  /// - Parameter query: The query.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func cancel<Value>(_ query: DefaultedQuery<Value>) { cancel(query.query) }

  /// Removes the entry of a query that has a default; from then on the default is shown.
  ///
  /// - Parameter query: The query.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func remove<Value>(_ query: DefaultedQuery<Value>) { remove(query.query) }

  // MARK: Reading and writing

  /// Whether a new observer of a query that has a default would refetch it.
  ///
  /// - Parameter query: The query.
  /// - Returns: Whether its data is missing, old or invalidated.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func isStale<Value>(_ query: DefaultedQuery<Value>) -> Bool {
    isStale(query.query)
  }

  /// The cached data of a query, or its default.
  ///
  /// - Parameter query: The query.
  /// - Returns: The data, stale or not; the default if there is none.
  @_disfavoredOverload
  public nonisolated func data<Value>(for query: DefaultedQuery<Value>) -> Value {
    data(for: query.query) ?? query.defaultValue
  }

  /// The first result of a new observer of a query that has a default; this starts no fetch.
  ///
  /// - Parameter query: The query; its initial data is evaluated if nothing is cached.
  /// - Returns: The first result.
  @_disfavoredOverload
  public nonisolated func result<Value>(
    for query: DefaultedQuery<Value>
  ) -> DefaultedResult<Value> {
    DefaultedResult(result(for: query.query), default: query.defaultValue)
  }

  /// Puts a value into the cache of a query that has a default.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - query: The query to write to.
  ///   - updatedAt: When the value was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public nonisolated func setData<Value>(
    _ value: Value,
    for query: DefaultedQuery<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false
  ) {
    setData(value, for: query.query, updatedAt: updatedAt, fencing: fencing)
  }

  /// Changes the cached data in place; if there is none, the changed default becomes the data.
  ///
  /// The closure gets the cached data without optimistic changes. It runs outside the lock, and
  /// again if the entry changes meanwhile, so it must only change its argument. The value that it
  /// leaves is written, even if it changes nothing.
  ///
  /// Data that began with the default is invalidated, because it did not come from the server: the
  /// next observer fetches. While a store has not answered for the query, the closure waits, so
  /// that the default does not replace data of the store.
  ///
  /// - Parameters:
  ///   - query: The query whose data changes.
  ///   - updatedAt: When the written data was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded.
  ///   - update: Changes the data.
  /// - Returns: The data that was written; `nil` if the update waits for the store, or if the call
  ///   was ignored, because it was made inside an update of the same key.
  /// - Throws: The closure's error; in that case nothing is written.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @discardableResult
  public nonisolated func updateData<Value, Failure: Error>(
    for query: DefaultedQuery<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false,
    _ update: @escaping @Sendable (inout Value) throws(Failure) -> Void
  ) throws(Failure) -> Value? {
    let (key, terms) = (query.query.key, WriteTerms(query.query.definition))
    return try self.update(key, terms, updatedAt: updatedAt, fencing: fencing, marksNew: true) {
      (data: inout Value?) throws(Failure) in
      var value = data ?? query.defaultValue
      try update(&value)
      data = value
    }
  }
}
