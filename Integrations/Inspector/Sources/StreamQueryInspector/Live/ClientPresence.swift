internal import StreamQuery
internal import Synchronization

/// The ``PagePresence`` of a client, which says whether pages are open and answer.
///
/// All inspectors of the client share it, because they share the client's simulated conditions.
final class ClientPresence: Sendable {
  private struct Known: Sendable {
    weak let client: QueryClient?
    weak let presence: ClientPresence?
  }

  private static let known = Mutex<[ObjectIdentifier: Known]>([:])

  private let state = Mutex(PagePresence())

  /// Returns the presence of a client; a new one if there is no client.
  static func at(_ client: QueryClient?) -> ClientPresence {
    guard let client else { return ClientPresence() }
    return known.withLock { known in
      // The client is compared, because a client that is gone may have had the same identifier.
      if let former = known[ObjectIdentifier(client)], former.client === client,
        let presence = former.presence
      {
        return presence
      }
      known = known.filter { $0.value.presence != nil }
      let presence = ClientPresence()
      known[ObjectIdentifier(client)] = Known(client: client, presence: presence)
      return presence
    }
  }

  /// Changes or reads the state; the closure must not run user code.
  func withLock<Result: Sendable>(_ body: (inout PagePresence) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}
