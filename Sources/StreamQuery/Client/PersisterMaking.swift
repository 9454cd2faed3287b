/// A policy that knows its persister.
package protocol PersisterMaking: PersistencePolicy {
  /// Makes the one persister of a client.
  func makePersister(for client: QueryClient) -> any Persister
}
