internal import StreamQuery

/// The client's entry of a row in a ``SharedTable``.
struct SharedLink: Sendable {
  /// The entry.
  let filter: QueryFilter
  private let hasData: @Sendable (QueryClient) -> Bool

  init<Value>(_ key: QueryKey<Value>) {
    filter = .key(key)
    // Without reading the data, which would be a use of each entry: the eviction of a client with a limit
    // would depend on the order of these reads.
    hasData = { !$0.entries(of: Value.self, .key(key)).isEmpty }
  }

  /// Whether the client has data.
  func isCached(in client: QueryClient) -> Bool { hasData(client) }
}
