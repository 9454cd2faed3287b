nonisolated extension QueryClient {
  /// The value of a query: from the cache if it is fresh, otherwise fetched.
  ///
  /// Callers of one key share one fetch. A cancelled caller leaves at once and does not affect the
  /// others. When nobody wants the fetch any longer, the query's ``AbandonmentPolicy`` decides
  /// whether it continues. If a refetch, an invalidation, a reset or a page command replaces the
  /// fetch, its callers wait for the newer one: <doc:InvalidationAndTriggers>. A fetch that
  /// this call starts is not retried unless the query or a default says so.
  ///
  /// A fetch that this call starts sees the caller's task-locals and has its priority, retries
  /// included. A caller that joins the fetch of another caller raises it to its own priority:
  /// <doc:Networking#Task-locals-and-priority>.
  ///
  /// Inside a fetch, or in the work or a callback of a mutation, this call can wait for other
  /// fetches, including those of other clients. A call that would close a circle of fetches and
  /// runs that wait for each other throws ``QueryError/recursiveFetch(key:)`` at once:
  /// <doc:Troubleshooting>.
  ///
  /// A part of a streamed value is never returned in place of the whole. An endless stream has no whole: its
  /// newest data is returned if it delivers, or else its first part: <doc:InfiniteAndStreamedQueries>.
  ///
  /// If the query allows it, stale data is returned instead of an error:
  /// ``Query/staleIfError(_:)``.
  ///
  /// ```swift
  /// let user = try await client.fetch(.user(42), timeout: .seconds(2))
  /// ```
  ///
  /// After a timeout only this caller gives up: the fetch continues for others that want it, or
  /// ends if there are none, as after a cancellation. If the query allows stale data, the caller
  /// gets this data when the time is over, and the fetch continues in any case.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - timeout: How long to wait, by the client's clock; zero or less does not wait, `nil` or more than
  ///     100 years is no limit. Fresh data is always in time.
  ///   - throwOnError: Whether an error is thrown even if the query allows stale data.
  /// - Returns: The value.
  /// - Throws: The fetch's error; `CancellationError` if the caller was cancelled while it waited, or if the
  ///   fetch was cancelled and ``cancel(_:)-(QueryFilter)`` does not give the caller data;
  ///   ``QueryError/timedOut(key:limit:)``; ``QueryError/missingFetch(key:)``;
  ///   ``QueryError/recursiveFetch(key:)``; ``QueryError/shutDown``.
  @discardableResult
  public nonisolated func fetch<Value>(
    _ query: Query<Value>,
    timeout: Duration? = nil,
    throwOnError: Bool = false
  ) async throws -> Value {
    let need = throwOnError ? CachePolicy.ifStaleOrThrow : .ifStale
    if let timeout {
      return try await fetch(query, need, within: timeout).value(as: Value.self)
    }
    // The key is made anew for each call below, because a variable would retain it.
    let start = beginFetch(EntryKey(query.key), query.definition, need, nil)
    // A cached value is returned here, because it needs no further asynchronous call.
    if case .cached(let box) = start { return box.settled.value(as: Value.self) }
    if case .restoring = start {
      return try await restored(EntryKey(query.key), query.definition, need, nil)
        .value(as: Value.self)
    }
    return try await outcome(of: start, of: EntryKey(query.key)).outcome.box.value(as: Value.self)
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

  /// Fetches a query ahead of its use, if the data is missing or stale; never throws.
  ///
  /// - Parameter query: The query.
  public nonisolated func prefetch<Value>(_ query: Query<Value>) async {
    _ = try? await fetch(query, .ifStale)
  }
}
