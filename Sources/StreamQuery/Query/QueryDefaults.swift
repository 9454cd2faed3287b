/// Defaults of a client: options for every query, and a fetch for queries that bring none.
public struct QueryDefaults: Sendable, _FreeOfActors {
  /// Options for every query that does not set them.
  public var options: QueryOptions

  /// The fetch of queries that bring none.
  ///
  /// It must return a value of the query's type; another type is
  /// ``QueryError/unexpectedType(key:expected:actual:)``. The client keeps it for as long as it lives:
  /// use ``FetchContext/client``, since a client that the closure captures would never be freed.
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
  ///   - fetch: The fetch of queries that bring none.
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
}
