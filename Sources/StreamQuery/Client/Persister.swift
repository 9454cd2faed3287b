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
