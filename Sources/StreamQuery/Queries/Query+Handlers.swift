// Handlers belong to the fetch, not to an observer: with ten streams of a query, a fetch calls a handler
// once. The operators `onSuccess` and `onError` of StreamQueryOperators belong to one stream.

extension Query {
  /// Calls a handler with the value of each fetch that succeeds.
  ///
  /// Each fetch calls the handler once, for any number of observers and callers, and also if none is left. A
  /// fetch that finds its data ``NotModified`` succeeds with that data. A streamed query calls the handler
  /// when its stream has ended. Writes and restored data are not fetches.
  ///
  /// The value is cached by then: `context.client.data(for:)` returns it, and synchronous reads on other
  /// threads may have seen it. Observers and callers that await the fetch get it after the handler has
  /// returned. Handlers are called in the order in which they were added. If several queries have the key,
  /// the client calls the handlers of the query with which the fetch began.
  ///
  /// ```swift
  /// let users = Query("users") { try await api.users() }
  ///   .onSuccess { users, context in
  ///     for user in users { context.client.setData(user, for: .user(user.id)) }
  ///   }
  /// ```
  ///
  /// A handler runs outside of locks, on any thread and without task-locals. It must be quick, because others
  /// may wait for it. For long work, start a task.
  ///
  /// - Parameter handler: Gets the data that the fetch left, without optimistic changes, and the context
  ///   of the last attempt, which has the query's metadata.
  /// - Returns: The changed query.
  public consuming func onSuccess(
    _ handler: @escaping @Sendable (_ value: Value, _ context: FetchContext) -> Void
  ) -> Self {
    onSettled { result, context in
      if case .success(let value) = result { handler(value, context) }
    }
  }

  /// Calls a handler with the error of each fetch that fails.
  ///
  /// The fetch calls the handler when no retry is left. Otherwise this is the same as ``onSuccess(_:)``. A
  /// cancelled, replaced or removed fetch has not failed.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .onError { error, context in logger.debug("\(context.key): \(error)") }
  /// ```
  ///
  /// - Parameter handler: Gets the error and the context of the last attempt.
  /// - Returns: The changed query.
  public consuming func onError(
    _ handler: @escaping @Sendable (_ error: any Error, _ context: FetchContext) -> Void
  ) -> Self {
    onSettled { result, context in
      if case .failure(let error) = result { handler(error, context) }
    }
  }

  /// Calls a handler with the outcome of each fetch that succeeds or fails.
  ///
  /// Otherwise this is the same as ``onSuccess(_:)`` and ``onError(_:)``.
  ///
  /// - Parameter handler: Gets the value or the error, and the context of the last attempt.
  /// - Returns: The changed query.
  public consuming func onSettled(
    _ handler:
      @escaping @Sendable (_ result: Result<Value, any Error>, _ context: FetchContext) -> Void
  ) -> Self {
    changed {
      $0.changeExtras { extras in
        let earlier = extras.onSettled
        extras.onSettled = { result, context in
          earlier?(result, context)
          handler(result.map { $0.value(as: Value.self) }, context)
        }
      }
    }
  }
}
