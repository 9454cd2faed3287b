import Synchronization

/// The persister of a client, made when it is first needed.
final class PersisterSlot: Sendable {
  private struct State {
    weak var client: QueryClient?
    var persister: (any Persister)?
  }

  private let state = Mutex(State())
  private let isInUse = Atomic(false)

  /// The persister; `nil` as long as no query needed one.
  var persister: (any Persister)? {
    // Most clients never have one, and do not wait for a lock.
    isInUse.load(ordering: .acquiring) ? state.withLock { $0.persister } : nil
  }

  func belong(to client: QueryClient) {
    state.withLock { $0.client = client }
  }

  /// The persister for a policy.
  ///
  /// - Parameter policy: The policy of a query, or the client's own.
  /// - Returns: The persister; `nil` if there is no client any more.
  func persister(for policy: any PersistencePolicy) -> (any Persister)? {
    let (known, client) = state.withLock { ($0.persister, $0.client) }
    if let known { return known }
    guard let client, let making = policy as? any PersisterMaking else { return nil }
    // Outside the lock; if two threads come here, one of the two is not used.
    let made = making.makePersister(for: client)
    let (persister, isFirst) = state.withLock { state in
      if let other = state.persister { return (other, false) }
      state.persister = made
      return (made, true)
    }
    isInUse.store(true, ordering: .releasing)
    if isFirst { client.cache.record { $0.startPersisting() } }
    return persister
  }
}
