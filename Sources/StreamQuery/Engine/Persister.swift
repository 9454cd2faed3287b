import Synchronization

/// Keeps the data of entries in stores.
///
/// The client asks for the data of an entry that begins, and tells the persister when entries change.
package protocol Persister: AnyObject, Sendable {
  /// Begins to read the data that is kept under a policy, unless it has begun before.
  ///
  /// - Returns: Whether the data has not been read yet.
  @discardableResult
  func open(_ policy: any PersistencePolicy) -> Bool

  /// Whether the data under a policy has not been read yet. This opens no store.
  func isRestoring(_ policy: any PersistencePolicy) -> Bool

  /// Whether the data under a policy has not been read, even if queries no longer wait for it. An update
  /// would then begin with wrong data.
  func isUnread(_ policy: any PersistencePolicy) -> Bool

  /// Notes the policies under which writes wait until the data has been read: a save is not complete without
  /// these writes.
  func writesWait(under policies: [any PersistencePolicy])

  /// Waits until the data under a policy has been read, or until the caller is cancelled.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - limit: The time after which the wait ends in any case.
  ///   - end: Also ends the wait, when it gets its value.
  func waitUntilRestored(
    _ policy: any PersistencePolicy,
    within limit: TimeSpan,
    orUntil end: SharedOneShot<Void>
  ) async

  /// The data that is kept for an entry. This decodes the data, which is user code, so do not call
  /// it under the lock.
  func data(
    of key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> KeptData?

  /// Whether the store has a value of a key that a call without a query must not replace.
  ///
  /// Another query saved the value without a limit of age, while the client's policy has a limit: it may
  /// be impossible to fetch the value again.
  func keepsForAnother(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ policy: any PersistencePolicy
  ) -> Bool

  /// The date when the stored data of an entry was current, in seconds since the reference date, and whether
  /// it was invalidated since. This decodes nothing.
  func stamp(
    of key: EntryKey,
    _ policy: any PersistencePolicy
  ) -> (updatedAt: Double, isInvalidated: Bool)?

  /// Saves changes of the cache soon, see ``CacheState/takePersistedChanges(onlyRemovals:)``.
  func entriesChanged()

  /// Writes the changes now, because the process may be suspended or end.
  func flush()

  /// Writes all changes, and returns when they are written.
  func save() async

  /// Repeats a failed read: it may succeed now, for example after a device was unlocked.
  func retryLoad()

  /// Forgets the data of the entries that a filter selects, whether they are cached or not.
  func remove(_ filter: QueryFilter)

  /// Marks the data of the entries that a filter selects as invalidated.
  func invalidate(_ filter: QueryFilter)

  /// Ends the persister together with its client.
  ///
  /// - Parameters:
  ///   - isErased: Whether nothing of the data may remain, so that nothing more is written. Such a call may
  ///     follow a call with `false`, which writes the remaining changes.
  ///   - writes: The writes that waited for a store and are still to be made.
  func end(isErased: Bool, making writes: [LastWrite])

  /// Waits until the persister's work has ended.
  func waitUntilOver() async
}

extension Persister {
  /// Waits until the data under a policy has been read, or until the caller is cancelled.
  func waitUntilRestored(_ policy: any PersistencePolicy, within limit: TimeSpan) async {
    await waitUntilRestored(policy, within: limit, orUntil: SharedOneShot())
  }
}

/// A policy that can make its persister.
package protocol PersisterMaking: PersistencePolicy {
  /// Makes the one persister of a client.
  func makePersister(for client: QueryClient) -> any Persister
}

/// The persister of a client, made on first use.
final class PersisterSlot: Sendable {
  private struct State {
    weak var client: QueryClient?
    var persister: (any Persister)?
    var isEnded = false
  }

  private let state = Mutex(State())
  private let isInUse = Atomic(false)

  /// The persister; `nil` if no query has needed one so far.
  var persister: (any Persister)? {
    // Most clients never have a persister, so no lock is taken for them.
    isInUse.load(ordering: .acquiring) ? state.withLock { $0.persister } : nil
  }

  func belong(to client: QueryClient) {
    state.withLock { $0.client = client }
  }

  /// The persister for a policy.
  ///
  /// - Parameter policy: The policy of a query, or the client's own.
  /// - Returns: The persister; `nil` if the client ended without one, or if the policy cannot make one.
  func persister(for policy: any PersistencePolicy) -> (any Persister)? {
    let (known, client) = state.withLock { ($0.persister, $0.isEnded ? nil : $0.client) }
    if let known { return known }
    guard let client, let making = policy as? any PersisterMaking else { return nil }
    // The persister is made outside the lock. If two threads make one, one of the two is not used.
    let made = making.makePersister(for: client)
    // From the step after this one, another thread may find the persister. So the cache begins to record
    // changes for it here.
    client.cache.record { $0.startPersisting() }
    isInUse.store(true, ordering: .releasing)
    return state.withLock { state in
      if state.persister == nil, !state.isEnded { state.persister = made }
      return state.persister
    }
  }

  /// Ends the persister together with its client: see ``Persister/end(isErased:making:)``.
  func end(isErased: Bool, making writes: [LastWrite]) {
    let persister = state.withLock { state in
      state.isEnded = true
      return state.persister
    }
    persister?.end(isErased: isErased, making: writes)
  }
}

/// The settings for keeping data beyond the process; empty unless the app links `StreamQueryPersistence`.
package struct KeepingSettings: Sendable {
  /// The default policy for the data of queries.
  package var policy: (any PersistencePolicy)?
  /// Makes the outbox, the keeper of runs of mutations.
  package var runs: (any DurableRunMaking)?
  private var others: [ObjectIdentifier: any Sendable] = [:]

  /// Further settings, one of each type.
  ///
  /// Other modules define the types.
  package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
    get { others[ObjectIdentifier(type)] as? Value }
    set { others[ObjectIdentifier(type)] = newValue }
  }

  /// The advice of the settings that give any.
  func advice(for client: QueryClient, isEarly: Bool = false) -> [QueryAdvice] {
    let settings: [(any Sendable)?] = [policy, runs] + Array(others.values)
    return settings.flatMap { ($0 as? any Adviser)?.advice(for: client, isEarly: isEarly) ?? [] }
  }
}

/// A setting that can give advice about its client.
package protocol Adviser: Sendable {
  /// The advice about a client that has the setting.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - isEarly: Whether the client has just begun its first work, so that a missing call is no mistake yet.
  /// - Returns: The advice.
  func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice]
}
