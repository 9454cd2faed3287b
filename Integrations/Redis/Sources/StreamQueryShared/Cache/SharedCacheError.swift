/// The reason why a ``SharedCache`` has no answer.
public enum SharedCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fetch failed on the machine that fetched for all; `reason` is the text of the error there.
  case failedElsewhere(key: String, reason: String)
  /// A client has fetched the query, but the query's cache belongs to another client.
  case otherClient(key: String)
  /// The client's cache was released.
  case cacheGone(key: String)
  /// The client has shared under another namespace, and its own data is not divided by namespaces.
  case otherNamespace(String, client: String)
  /// The query was not made by ``StreamQuery/Query/shared(through:tags:form:maxAge:)``.
  case notShared(key: String)
  /// The key has no text that is the same on all machines.
  case keyWithoutText(reason: String)
  /// The value cannot be encoded.
  case notEncodable(key: String, reason: String)
  /// The store did not accept the change.
  case store(SharedStoreError)

  /// A sentence that says how the error came about and how to avoid it.
  public var description: String {
    switch self {
    case .failedElsewhere(let key, let reason):
      "the fetch of \(key) failed on another machine: \(reason)"
    case .otherClient(let key):
      "\(key) is shared through the cache of another client: give each client a cache of its own"
    case .cacheGone(let key):
      "the shared cache of the client that fetches \(key) is gone: keep the cache, the client does not"
    case .otherNamespace(let namespace, let known):
      "the client shares under \(known), and would serve its data to \(namespace): give each tenant a "
        + "client of its own"
    case .notShared(let key):
      "\(key) is not shared: make the query with `.shared(through:)`"
    case .keyWithoutText(let reason):
      "the key is not the same on all machines: \(reason)"
    case .notEncodable(let key, let reason):
      "the value of \(key) cannot be stored: \(reason)"
    case .store(let error):
      "the store did not take the change: \(error)"
    }
  }
}
