nonisolated extension QueryClient {
  /// Replaces the client's defaults; queries that are used later take them.
  ///
  /// The client retains their closures. A closure that captures the client would keep it alive for
  /// ever: use ``FetchContext/client`` in a fetch, and capture the client weakly in other closures.
  ///
  /// - Parameter defaults: The defaults.
  public nonisolated func setDefaults(_ defaults: QueryDefaults) {
    let defaults = defaults.over(configuration.preset)
    replaceDefaults { $0.replacing(client: defaults) }
  }

  /// Registers defaults for every key that starts with a prefix.
  ///
  /// If several prefixes match, their options are merged in the order of registration, and later
  /// ones win. Registering a prefix again replaces its defaults and keeps its rank.
  ///
  /// The client retains the closures. A closure that captures the client would keep it alive for
  /// ever: use ``FetchContext/client`` in the fetch, and capture the client weakly in other
  /// closures.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - prefix: The prefix.
  ///   - fetch: The fetch of queries that have none. It must return a value of the query's type;
  ///     any other type fails with ``QueryError/unexpectedType(key:expected:actual:)``.
  public nonisolated func setDefaults(
    _ options: QueryOptions,
    for prefix: AnyQueryKey,
    fetch: (@Sendable (FetchContext) async throws -> any Sendable)? = nil
  ) {
    let entry = DefaultsTable.Prefix(key: prefix, options: options, fetch: fetch)
    replaceDefaults { $0.adding(entry) }
  }

  /// The merged defaults of a key: the client's, and those of its prefixes.
  ///
  /// - Parameter key: The key.
  /// - Returns: The options.
  public nonisolated func defaultOptions(for key: AnyQueryKey) -> QueryOptions {
    defaults.options(for: key)
  }

  /// The policy that decides which errors of a query go to an error boundary: the query's own, or its key's
  /// default.
  ///
  /// - Parameter query: The query.
  /// - Returns: The policy.
  @_spi(Adapters) public nonisolated func throwPolicy<Value>(of query: Query<Value>) -> ThrowPolicy
  {
    query.definition.options.throwOnError
      ?? defaults.options(for: query.key.erased).throwOnError ?? .never
  }

  /// Whether an error of a query is thrown to an error boundary: by the query's own policy, or by
  /// that of the defaults of its key.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query.
  /// - Returns: Whether it is thrown.
  @_spi(Adapters) public nonisolated func shouldThrow<Value>(
    _ error: any Error,
    of query: Query<Value>
  ) -> Bool {
    throwPolicy(of: query).shouldThrow(error, of: diagnostics(.query(query)).first)
  }
}
