internal import StreamQuery
internal import Synchronization

/// The presence at a client, which all of its inspectors share, as they share its simulated conditions.
final class ClientPresence: Sendable {
  private struct Known: Sendable {
    weak let client: QueryClient?
    weak let presence: ClientPresence?
  }

  private static let known = Mutex<[ObjectIdentifier: Known]>([:])

  private let state = Mutex(PagePresence())

  /// The presence at a client; a new one if there is no client.
  static func at(_ client: QueryClient?) -> ClientPresence {
    guard let client else { return ClientPresence() }
    return known.withLock { known in
      // A client that is gone may have had the same identifier.
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
