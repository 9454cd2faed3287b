import Synchronization

/// What keeps the data of entries beyond the cache.
///
/// The client asks it about entries that begin, and tells it that entries changed.
package protocol Persister: AnyObject, Sendable {
  /// Begins to read what is kept under a policy, unless it was begun before.
  ///
  /// - Returns: Whether it is not known yet what is kept.
  @discardableResult
  func open(_ policy: any PersistencePolicy) -> Bool

  /// Whether it is not known yet what is kept under a policy, be it opened or not.
  func isRestoring(_ policy: any PersistencePolicy) -> Bool

  /// Whether it is not known yet what is kept under a policy, although queries may go on without it:
  /// what an update began with would be wrong.
  func isUnread(_ policy: any PersistencePolicy) -> Bool

  /// Waits until it is known what is kept under a policy, or until the caller is cancelled.
  func waitUntilRestored(_ policy: any PersistencePolicy, within limit: TimeSpan) async

  /// The data that is kept for an entry; decodes it, so never call it under the lock.
  func data(
    of key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> KeptData?

  /// Whether the store keeps a value for a key alone that another query saved without a limit of age,
  /// while the client's policy has one: it may be impossible to fetch again.
  func keepsForAnother(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> Bool

  /// When the data that is kept for an entry was current, in seconds since the reference date, and
  /// whether it was invalidated since; decodes nothing.
  func stamp(
    of key: EntryKey,
    _ policy: any PersistencePolicy
  ) -> (updatedAt: Double, isInvalidated: Bool)?

  /// There are changes to take, see ``CacheState/takePersistedChanges()``.
  func entriesChanged()

  /// The process may be suspended or end: what changed should be written now.
  func hurry()

  /// Writes what is not written yet, and waits for that.
  func save() async

  /// What could not be read so far may be readable now, such as after a device was unlocked.
  func readAgain()

  /// Forgets what is kept for the entries that a filter selects, whether they are cached or not.
  func remove(_ filter: QueryFilter)

  /// Marks what is kept for the entries that a filter selects as invalidated.
  func invalidate(_ filter: QueryFilter)

  /// The client is over.
  ///
  /// - Parameters:
  ///   - isErased: Whether nothing may be left of what it holds, so that nothing more is written. It
  ///     may follow an end that writes.
  ///   - writes: What waited until it is known what is kept, and is still to be made of that.
  func end(isErased: Bool, making writes: [LastWrite])

  /// Waits until none of its work is running any more.
  func waitUntilOver() async
}

/// A policy that knows its persister.
package protocol PersisterMaking: PersistencePolicy {
  /// Makes the one persister of a client.
  func makePersister(for client: QueryClient) -> any Persister
}

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

/// Where a client keeps data beyond the process; empty unless the app links `StreamQueryPersistence`.
package struct KeepingSettings: Sendable {
  /// Where the data of queries is kept beyond the cache, unless they say otherwise.
  package var policy: (any PersistencePolicy)?
  /// What keeps runs of mutations beyond the process.
  package var runs: (any RunKeeperMaking)?
  private var others: [ObjectIdentifier: any Sendable] = [:]

  /// Further settings, one of each type; the client knows nothing of them.
  package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
    get { others[ObjectIdentifier(type)] as? Value }
    set { others[ObjectIdentifier(type)] = newValue }
  }

  /// The advice of those settings that advise.
  func advice(for client: QueryClient, isEarly: Bool = false) -> [QueryAdvice] {
    let settings: [(any Sendable)?] = [policy, runs] + Array(others.values)
    return settings.flatMap { ($0 as? any Adviser)?.advice(for: client, isEarly: isEarly) ?? [] }
  }
}

/// A setting that can advise: the client asks those of its configuration that do.
package protocol Adviser: Sendable {
  /// The advice about a client that has the setting.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - isEarly: Whether the client has just begun, so that missing work says nothing.
  /// - Returns: The advice.
  func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice]
}
