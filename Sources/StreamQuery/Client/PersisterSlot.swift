import Synchronization

/// The persister of a client, made when it is first needed.
final class PersisterSlot: Sendable {
  private struct State {
    weak var client: QueryClient?
    var persister: (any Persister)?
    var isEnded = false
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
  /// - Returns: The persister; `nil` if the client needed none before its end.
  func persister(for policy: any PersistencePolicy) -> (any Persister)? {
    let (known, client) = state.withLock { ($0.persister, $0.isEnded ? nil : $0.client) }
    if let known { return known }
    guard let client, let making = policy as? any PersisterMaking else { return nil }
    // Outside the lock; if two threads come here, one of the two is not used.
    let made = making.makePersister(for: client)
    let (persister, isFirst) = state.withLock { state -> ((any Persister)?, Bool) in
      if state.persister != nil || state.isEnded { return (state.persister, false) }
      state.persister = made
      return (made, true)
    }
    guard isFirst else { return persister }
    isInUse.store(true, ordering: .releasing)
    client.cache.record { $0.startPersisting() }
    return persister
  }

  /// The client is over; see ``Persister/end(isErased:making:)``.
  func end(isErased: Bool, making writes: [LastWrite]) {
    let persister = state.withLock { state in
      state.isEnded = true
      return state.persister
    }
    persister?.end(isErased: isErased, making: writes)
  }
}
