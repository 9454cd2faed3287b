internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The policy of a query, or of a client, for the client's own use.
final class QueryPersistence: PersisterMaking {
  /// `nil` keeps nothing.
  let settings: Persistence?
  /// Makes a value of the bytes of another version; `nil` drops them.
  let migrate: (@Sendable (Data, String) throws -> ValueBox)?

  init(
    _ settings: Persistence?,
    migrate: (@Sendable (Data, String) throws -> ValueBox)? = nil
  ) {
    self.settings = settings
    self.migrate = migrate
  }

  var isOff: Bool { settings == nil }

  func makePersister(for client: QueryClient) -> any Persister { StorePersister(client) }
}
