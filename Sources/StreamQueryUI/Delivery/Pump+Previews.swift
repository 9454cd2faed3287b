@_spi(Adapters) internal import StreamQuery

// The client of a preview: nothing is fetched for who observes it, not even by a query that says
// itself that it is enabled.
extension Pump {
  /// An observed query of a client.
  static func options(_ present: ObserverOptions?, for client: QueryClient) -> ObserverOptions? {
    guard prepared(for: client) != nil else { return present }
    var frozen = present ?? ObserverOptions()
    frozen.enabled = .fixed(false)
    return frozen
  }

  /// An observed list of queries of a client.
  static func queries(_ queries: [AnyQuery], for client: QueryClient) -> [AnyQuery] {
    prepared(for: client) == nil ? queries : queries.map { $0.enabled(false) }
  }
}
