internal import StreamQuery

/// The entry of a client that a row of a ``SharedTable`` is about.
struct SharedLink: Sendable {
  /// The entry.
  let filter: QueryFilter
  private let hasData: @Sendable (QueryClient) -> Bool

  init<Value>(_ key: QueryKey<Value>) {
    filter = .key(key)
    // Not by reading the data: that would be a use of each entry, and the eviction of a client with a
    // limit would depend on the order in which entries are looked at.
    hasData = { !$0.entries(of: Value.self, .key(key)).isEmpty }
  }

  /// Whether the client has data.
  func isCached(in client: QueryClient) -> Bool { hasData(client) }
}
