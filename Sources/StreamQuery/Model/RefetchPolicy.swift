/// Whether a subscription refetches data that is already cached.
///
/// Without data a subscription always fetches, whatever the policy (unless the query is disabled).
public enum RefetchPolicy: String, Hashable, Codable, Sendable, _FreeOfActors,
  ExpressibleByBooleanLiteral
{
  /// Shows the cached data.
  case never
  /// Refetches when the data is stale; the default.
  case ifStale
  /// Refetches even fresh data.
  case always

  /// `true` is ``ifStale``, `false` is ``never``.
  ///
  /// - Parameter value: Whether to refetch what is stale.
  public init(booleanLiteral value: Bool) {
    self = value ? .ifStale : .never
  }
}
