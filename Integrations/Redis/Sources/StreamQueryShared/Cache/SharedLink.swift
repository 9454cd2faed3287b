internal import StreamQuery

/// The client's entry for a row in a ``SharedTable``.
struct SharedLink: Sendable {
  /// Selects the client's entry.
  let filter: QueryFilter
  private let hasData: @Sendable (QueryClient) -> Bool

  init<Value>(_ key: QueryKey<Value>) {
    filter = .key(key)
    // This does not read the data of an entry, which would count as a use. In a client with a limit, the
    // order of these reads would then decide which entries are evicted.
    hasData = { !$0.entries(of: Value.self, .key(key)).isEmpty }
  }

  /// Whether the client has data of the entry.
  func isCached(in client: QueryClient) -> Bool { hasData(client) }
}
