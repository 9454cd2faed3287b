@_spi(Adapters) internal import StreamQuery

// In the client of a preview, observers fetch nothing, even if their query is `enabled`.
extension MainActorDelivery {
  /// Returns the options for an observer in a client; in a preview, they disable the observer.
  static func options(_ present: ObserverOptions?, for client: QueryClient) -> ObserverOptions? {
    guard prepared(for: client) != nil else { return present }
    var frozen = present ?? ObserverOptions()
    frozen.enabled = .fixed(false)
    return frozen
  }

  /// Returns the queries for an observed list in a client; in a preview, all are disabled.
  static func queries(_ queries: [AnyQuery], for client: QueryClient) -> [AnyQuery] {
    prepared(for: client) == nil ? queries : queries.map { $0.enabled(false) }
  }
}
