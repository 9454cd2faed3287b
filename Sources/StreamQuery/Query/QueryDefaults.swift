/// Defaults of a client: options for every query, and a fetch for queries that have none.
public struct QueryDefaults: Sendable, _FreeOfActors {
  /// Options for every query that does not set its own.
  public var options: QueryOptions

  /// The fetch of queries that have none.
  ///
  /// It must return a value of the query's type; any other type fails with
  /// ``QueryError/unexpectedType(key:expected:actual:)``. The client retains the closure for its
  /// whole life: use ``FetchContext/client``, because a client that the closure captures would
  /// never be freed.
  public var fetch: (@Sendable (FetchContext) async throws -> any Sendable)?

  /// Retries of imperative calls whose query sets none; none by default.
  public var imperativeRetry: RetryPolicy

  /// Creates defaults.
  ///
  /// - Parameters:
  ///   - staleTime: How long data counts as fresh.
  ///   - gcTime: How long an entry without observers is kept.
  ///   - options: The other options; `staleTime` and `gcTime` given here win over those in it.
  ///   - imperativeRetry: Retries of imperative calls whose query sets none.
  ///   - fetch: The fetch of queries that have none.
  public init(
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    options: QueryOptions = .default,
    imperativeRetry: RetryPolicy = .never,
    fetch: (@Sendable (FetchContext) async throws -> any Sendable)? = nil
  ) {
    var options = options
    if let staleTime { options.staleTime = staleTime }
    if let gcTime { options.gcTime = gcTime }
    self.options = options
    self.imperativeRetry = imperativeRetry
    self.fetch = fetch
  }

  /// These defaults over weaker options.
  func over(_ options: QueryOptions) -> QueryDefaults {
    var defaults = self
    defaults.options = self.options.over(options)
    return defaults
  }
}
