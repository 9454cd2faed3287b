@_spi(Adapters) public import StreamQuery

nonisolated extension QueryClient {
  /// Observes a query, and throws the errors that the query's `throwOnError` names.
  ///
  /// This is `results(of:)` with `throwing(when:)`, and with the policy of the query or of the defaults of
  /// its key.
  ///
  /// ```swift
  /// let user = Query<User>.user(42).throwOnError(.when { $0 is AuthError })
  /// for try await result in client.throwingResults(of: user) { show(result) }
  /// ```
  ///
  /// - Finish, cancellation: as `results(of:)`.
  /// - Failure: the error of a result, once its fetch has ended. Then the sequence is over.
  /// - Buffering: none, and no task.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of each observer, which take precedence over those of the query.
  /// - Returns: A sequence that can fail. Each iterator is an observer of its own.
  public nonisolated func throwingResults<Value>(
    of query: Query<Value>,
    options: ObserverOptions? = nil
  ) -> ThrowingSequence<QueryResults<Value>, Value> {
    let policy = throwPolicy(of: query)
    return results(of: query, options: options).throwing { error in
      policy.shouldThrow(error, of: self.diagnostics(.query(query)).first)
    }
  }
}
