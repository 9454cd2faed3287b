/// What came of a ``QueryClient/refresh(_:within:)-(QueryFilter,_)``, each in the order in which entries were chosen.
public struct QueryRefresh: Hashable, Sendable {
  /// What is fresh now that was not.
  public var refreshed: [AnyQueryKey] = []
  /// What was fetched, and failed.
  public var failed: [AnyQueryKey] = []
  /// What is as stale as it was: there was no time for it, or somebody cancelled its fetch.
  public var left: [AnyQueryKey] = []

  /// Creates an empty result.
  public init() {}
}
