public import StreamQuery

extension _QueryObjectMembers {
  /// Fetches, even if the data is fresh or the query is disabled, and waits until the fetch has ended.
  ///
  /// A failure is in the result. Cancelling the caller ends its wait and not the fetch, and is no error: a
  /// gesture to refresh may be cancelled by the view that it redraws. An object that does not observe fetches
  /// nothing, and neither does a query without a fetch.
  ///
  /// - Parameter superseding: Whether a running fetch is replaced if there is data; with `false`, its result
  ///   is awaited.
  /// - Returns: The result after the fetch.
  @discardableResult
  public func refetch(superseding: Bool = true) async -> QueryResult<Value> {
    _ = try? await withObserver { try await $0.refetch(superseding: superseding) }
    return present.shown
  }

  /// Fetches like ``refetch(superseding:)``, and can throw a failure or a cancellation of the fetch.
  ///
  /// - Parameters:
  ///   - superseding: Whether a running fetch is replaced if there is data; with `false`, its result is
  ///     awaited.
  ///   - throwOnError: Whether a failure is thrown, and not only shown in the result.
  /// - Returns: The result after the fetch.
  /// - Throws: With `throwOnError`, the errors of `QueryObserver.refetch(superseding:throwOnError:)`, and
  ///   `CancellationError` if the object does not observe; otherwise nothing.
  @discardableResult
  public func refetch(
    superseding: Bool = true,
    throwOnError: Bool
  ) async throws -> QueryResult<Value> {
    guard throwOnError else { return await refetch(superseding: superseding) }
    let isObserving: Void? = try await withObserver { observer in
      // The result with the failure is shown before the error is thrown.
      defer { arrivedNow() }
      try await observer.refetch(superseding: superseding, throwOnError: true)
    }
    if isObserving == nil { throw CancellationError() }
    return present.shown
  }

  fileprivate func invalidateAndWait() async { await withObserver { await $0.invalidate() } }

  fileprivate func resetAndWait() async { await withObserver { await $0.reset() } }
}

// These are members of the two types, because the documentation would not list members of the protocol beside
// functions of the same names that do not wait.

extension ObservedQuery {
  /// Invalidates the query; if the query is observed and enabled, waits for its fetch.
  public func invalidate() async { await invalidateAndWait() }

  /// Puts the query back into its initial state, with initial data, and refetches it if it is enabled.
  public func reset() async { await resetAndWait() }
}

extension ObservedSelection {
  /// Invalidates the query; if the query is observed and enabled, waits for its fetch.
  public func invalidate() async { await invalidateAndWait() }

  /// Puts the query back into its initial state, with initial data, and refetches it if it is enabled.
  public func reset() async { await resetAndWait() }
}
