@_spi(Adapters) internal import StreamQuery

// The errors of the queries, for the boundary around the list.
extension ObservedQueries {
  /// Reports to the boundary the errors that it does not know yet, and withdraws the errors of queries that
  /// have recovered.
  func offerErrors() {
    guard let boundary, let client, let results = machine.shown?.all else { return }
    // A shortcut: most lists have no error, and never had one.
    guard !routes.isEmpty || results.contains(where: { $0.error != nil }) else { return }
    leaveFormerErrors()
    let members = routed()
    routesClient = client
    // The keys are compared, because a reader that was told of the change may have replaced the list.
    for (member, result) in zip(members, results) where member.query.key == result.key {
      guard result.error != nil || routes[member.routed] != nil else { continue }
      switch routes[member.routed, default: ErrorRouteMachine()].shown(result) {
      case .nothing: break
      case .offer(let error):
        if client.shouldThrow(error, of: member.query) {
          boundary.report(error, of: member.query, in: client, by: self)
        }
      case .recovered:
        routes[member.routed] = nil
        boundary.recovered(member.routed.identity, in: client, by: self)
      }
    }
  }

  /// Withdraws the errors of queries that are not in the list any more.
  func leaveFormerErrors() {
    guard !routes.isEmpty else { return }
    let kept = Set(routed().map(\.routed))
    leaveErrors { !kept.contains($0) }
  }

  /// Withdraws the errors of some queries from the boundary.
  func leaveErrors(_ isLeft: (Routed) -> Bool) {
    guard !routes.isEmpty else { return }
    let left = routes.keys.filter(isLeft)
    for member in left { routes[member] = nil }
    guard let boundary, let routesClient, !left.isEmpty else { return }
    // If the list still has the query with other options, its error stays.
    let kept = Set(routes.keys.map(\.identity))
    for identity in Set(left.map(\.identity)).subtracting(kept) {
      boundary.left(identity, in: routesClient, by: self)
    }
  }

  private func routed() -> [(query: AnyQuery, routed: Routed)] {
    var counts: [QueryIdentity: Int] = [:]
    return queries.map { query in
      let identity = QueryIdentity(query)
      let count = counts[identity, default: 0]
      counts[identity] = count + 1
      return (query, Routed(identity: identity, occurrence: count))
    }
  }
}

extension ObservedQueries: ErrorReporter {
  func offerAgain(_ query: QueryIdentity, of client: ObjectIdentifier) {
    guard routesClient.map(ObjectIdentifier.init) == client else { return }
    // Outside of a delivery, the list may not have been told of the newest state yet.
    if delivery?.isDelivering == false { show() }
    for routed in routes.keys where routed.identity == query { routes[routed] = nil }
    offerErrors()
  }
}
