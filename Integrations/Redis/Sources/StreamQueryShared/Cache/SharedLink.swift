internal import StreamQuery

/// The entry of a client that a row of a ``SharedTable`` is about.
struct SharedLink: Sendable {
  private let filter: QueryFilter
  private let hasData: @Sendable (QueryClient) -> Bool

  init<Value>(_ key: QueryKey<Value>) {
    filter = .key(key)
    hasData = { $0.data(for: key) != nil }
  }

  /// Whether the client has data.
  func isCached(in client: QueryClient) -> Bool { hasData(client) }

  /// Marks the entry as invalidated.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - isInFlight: Whether a fetch is under way whose answer will be compared with what was told.
  ///     Otherwise a fetch may be about to land whose answer was compared before.
  ///   - refetch: Whether it is refetched at once.
  func doubt(_ client: QueryClient, isInFlight: Bool, _ refetch: RefetchScope) {
    if !isInFlight { client.markInvalidated(filter && .fetching, refetch: .all) }
    client.markInvalidated(filter, refetch: refetch, superseding: false)
  }
}
