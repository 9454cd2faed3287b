// Handlers belong to the fetch, and so to no observer: ten streams of a query are one call. The result
// operators `onSuccess` and `onError` of StreamQueryOperators are of one stream.

extension Query {
  /// Calls a handler with the value of each fetch that succeeds.
  ///
  /// It is called once for each fetch, however many observe the query or await the fetch, and also if
  /// nobody does any more. A fetch that finds its data ``NotModified`` succeeds with that. A streamed
  /// query calls it when its stream has ended. Writes and restored data are no fetches.
  ///
  /// By then the value is the data: `context.client.data(for:)` has it, and synchronous reads on other
  /// threads may have seen it. Callers that await the fetch, and observers, are told after the handler has
  /// returned. Handlers are called in the order in which they were added. If several queries have the
  /// key, the handlers of the one with which the fetch began are called.
  ///
  /// ```swift
  /// let users = Query("users") { try await api.users() }
  ///   .onSuccess { users, context in
  ///     for user in users { context.client.setData(user, for: .user(user.id)) }
  ///   }
  /// ```
  ///
  /// A handler runs outside of locks, on any thread and without task-locals. It must be quick: others
  /// may wait for it. For work that takes long, start a task.
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
  /// It is called when no retry is left, on the terms of ``onSuccess(_:)``. A fetch that is cancelled,
  /// replaced or removed did not fail.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
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
  /// It is called on the terms of ``onSuccess(_:)``.
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
