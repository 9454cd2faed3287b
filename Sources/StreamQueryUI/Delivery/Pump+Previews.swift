internal import StreamQuery

// The client of a preview: nothing is fetched for who observes it, not even by a query that says
// itself that it is enabled.
extension Pump {
  /// What is observed of a client.
  func options(_ present: ObserverOptions?) -> ObserverOptions? {
    guard prepared != nil else { return present }
    var frozen = present ?? ObserverOptions()
    frozen.enabled = .fixed(false)
    return frozen
  }

  /// What is observed of a client by a list.
  func queries(_ queries: [AnyQuery]) -> [AnyQuery] {
    prepared == nil ? queries : queries.map { $0.enabled(false) }
  }
}
