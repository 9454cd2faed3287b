extension Query {
  /// Runs code around each attempt of the query's fetch.
  ///
  /// The closure calls the fetch, once, several times or not at all, and returns its value or another one. It
  /// may, for example, ask a cache first, take a lease, or count. Streamed elements and an added page are
  /// cached as the fetch brings them, whatever the closure returns. A further call is a retry within the
  /// attempt. The closure runs in the fetch's task and is cancelled with it, and its error is the attempt's
  /// error. ``FetchContext/demand`` says how new the answer must be; report the age of an answer with
  /// ``FetchContext/answer(isOld:isOutdated:)``.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .aroundFetch { context, fetch in
  ///     let start = ContinuousClock.now
  ///     defer { print("\(context.key) took \(ContinuousClock.now - start)") }
  ///     return try await fetch()
  ///   }
  /// ```
  ///
  /// Of several closures, the last one is outermost; ``FetchCompanion``s of the client run around
  /// all of them. A query without a fetch of its own calls the default fetch of its key, or throws
  /// ``QueryError/missingFetch(key:)``.
  ///
  /// - Parameter body: Gets the attempt, and the fetch.
  /// - Returns: The changed query.
  public consuming func aroundFetch(
    _ body:
      @escaping @Sendable @concurrent (
        _ context: FetchContext,
        _ fetch: @Sendable () async throws -> Value
      ) async throws -> Value
  ) -> Self {
    let (key, bare) = (key, definition)
    let around: QueryDefinition.Fetch = { context in
      let repeated = RepeatedAttempt()
      return TypedBox(
        try await body(context) {
          let fetch = ResolvedQuery.fetch(of: bare, for: context.key, context.client.defaults)
          guard let fetch else { throw QueryError.missingFetch(key: context.key.description) }
          return try await repeated.run(fetch, context).value(as: Value.self)
        }
      )
    }
    let variant = bare.variant.map { variant in
      { @Sendable in Query(key: key, definition: variant()).aroundFetch(body).definition }
    }
    return Query(key: key, definition: bare.with(fetch: around, other: variant))
  }
}
