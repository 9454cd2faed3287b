/// The policy of a query, or of a client, for the client's own use.
final class QueryPersistence: PersisterMaking {
  /// `nil` keeps nothing.
  let settings: Persistence?

  init(_ settings: Persistence?) {
    self.settings = settings
  }

  var isOff: Bool { settings == nil }

  func makePersister(for client: QueryClient) -> any Persister { StorePersister(client) }
}
