internal import StreamQuery

/// The namespace under which each client shares: a client's own data is not divided by namespaces, so
/// that it would serve one tenant's to another.
struct ClientNamespaces: Sendable {
  private struct Entry: Sendable {
    weak var client: QueryClient?
    var namespace: String
    /// The client's first cache that is still there.
    weak var cache: SharedCache?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepsAt = 64

  /// A cache of a client is made.
  ///
  /// - Returns: The namespace of the client, which is that of its first cache, and clients to release
  ///   outside of the lock.
  mutating func claim(
    _ namespace: String,
    for client: QueryClient
  ) -> (namespace: String, seen: [QueryClient]) {
    if let known = entries[ObjectIdentifier(client)], known.client === client {
      return (known.namespace, [])
    }
    var seen: [QueryClient] = []
    if entries.count >= sweepsAt {
      entries = entries.filter { entry in
        guard let client = entry.value.client else { return false }
        seen.append(client)
        return true
      }
      sweepsAt = max(64, entries.count * 2)
    }
    entries[ObjectIdentifier(client)] = Entry(client: client, namespace: namespace)
    return (namespace, seen)
  }

  /// A cache was made of a client that has its namespace.
  ///
  /// - Returns: The client's former cache, to be released outside of the lock.
  mutating func made(_ cache: SharedCache, for client: QueryClient) -> SharedCache? {
    let former = self.cache(of: client)
    if former == nil { entries[ObjectIdentifier(client)]?.cache = cache }
    return former
  }

  /// The cache of a client; `nil` if it has none.
  func cache(of client: QueryClient) -> SharedCache? {
    guard let known = entries[ObjectIdentifier(client)], known.client === client else { return nil }
    return known.cache
  }
}
