internal import StreamQuery

/// The namespaces under which clients share their data.
///
/// A client has only one namespace. Its own data is not divided by namespaces, so a client with two of them
/// would serve one tenant's data to another.
struct ClientNamespaces: Sendable {
  private struct Entry: Sendable {
    weak var client: QueryClient?
    var namespace: String
    /// The client's caches that may still exist, in order; never empty after the first one was
    /// made.
    var caches: [Member] = []
  }

  private struct Member: Sendable {
    weak var cache: SharedCache?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var sweepsAt = 64

  /// Claims a namespace for a client before a cache of the client is made.
  ///
  /// - Returns: The namespace of the client's first cache, and clients that the caller must release
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

  /// Registers a new cache of a client.
  ///
  /// - Returns: The client's other caches, which the caller must release outside of the lock.
  mutating func made(_ cache: SharedCache, for client: QueryClient) -> [SharedCache] {
    let former = entries[ObjectIdentifier(client)]?.caches.compactMap(\.cache) ?? []
    entries[ObjectIdentifier(client)]?.caches = (former + [cache]).map { Member(cache: $0) }
    return former
  }

  /// The first existing cache of a client, and whether the client ever had a cache.
  func cache(of client: QueryClient) -> (cache: SharedCache?, hadOne: Bool) {
    guard let known = entries[ObjectIdentifier(client)], known.client === client else {
      return (nil, false)
    }
    for member in known.caches {
      if let cache = member.cache { return (cache, true) }
    }
    return (nil, !known.caches.isEmpty)
  }
}
