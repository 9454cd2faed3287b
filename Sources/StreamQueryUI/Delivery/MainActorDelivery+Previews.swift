@_spi(Adapters) internal import StreamQuery

// In a preview, nothing is fetched for observers, even if a query enables itself.
extension MainActorDelivery {
  /// The options of a query that is observed in a client.
  static func options(_ present: ObserverOptions?, for client: QueryClient) -> ObserverOptions? {
    guard prepared(for: client) != nil else { return present }
    var frozen = present ?? ObserverOptions()
    frozen.enabled = .fixed(false)
    return frozen
  }

  /// The list of queries that is observed in a client.
  static func queries(_ queries: [AnyQuery], for client: QueryClient) -> [AnyQuery] {
    prepared(for: client) == nil ? queries : queries.map { $0.enabled(false) }
  }
}
