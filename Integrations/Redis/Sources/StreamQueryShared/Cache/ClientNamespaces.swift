internal import StreamQuery

/// The namespace under which each client shares.
///
/// A client has only one. Its own data is not divided by namespaces, so with two it would serve one tenant's
/// data to another.
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

  /// A cache of a client is about to be made.
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

  /// A cache of a client with this namespace was made.
  ///
  /// - Returns: The client's other caches, to be released outside of the lock.
  mutating func made(_ cache: SharedCache, for client: QueryClient) -> [SharedCache] {
    let former = entries[ObjectIdentifier(client)]?.caches.compactMap(\.cache) ?? []
    entries[ObjectIdentifier(client)]?.caches = (former + [cache]).map { Member(cache: $0) }
    return former
  }

  /// The first existing cache of a client, and whether it ever had one.
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
