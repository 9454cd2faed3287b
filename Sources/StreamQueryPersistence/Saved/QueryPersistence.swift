internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The persistence policy of a query or a client, in the form that the client uses.
final class QueryPersistence: PersisterMaking {
  /// The policy; `nil` saves nothing.
  let settings: Persistence?
  /// Makes a value from the bytes of another version; `nil` drops these bytes.
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

extension QueryPersistence: Adviser {
  func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice] {
    let types = (client.persister as? StorePersister)?.unencodableTypes ?? []
    return [QueryAdvice(unencodable: types)].compactMap(\.self)
  }
}

extension QueryAdvice {
  /// Creates the advice about values that should be saved, but have types that are not `Encodable`.
  ///
  /// - Parameter types: The names of the types.
  init?(unencodable types: [String]) {
    self.init(
      rule: "valuesNotCodable",
      problem: "Values that are to be kept are not Codable",
      of: types,
      reason: "They are left out, so that the next launch fetches them again",
      remedy: "Make the types Codable, or write .notPersisted() on their queries",
      article: "OfflineAndPersistence"
    )
  }
}
