/// The changes of persisted entries, for the persister that takes them; it works while the client is
/// being freed, too.
package struct EntryJournal: Sendable {
  let cache: QueryCache

  /// Whether there are changes to take.
  package var hasChanges: Bool { cache.read { $0.hasPersistedChanges } }

  /// Whether so many entries are gone that what they held should be taken now.
  package var isCrowded: Bool { cache.read { $0.persisted?.isCrowded } == true }

  /// Takes changes.
  ///
  /// - Parameter onlyDepartures: Whether changed entries stay, which takes no time.
  /// - Returns: What is gone, then entries as they are now; and whether that was all.
  package func take(
    onlyDepartures: Bool
  ) -> (departures: [PersistedChanges.Departure], entries: [PersistedEntry], isAll: Bool) {
    cache.record { $0.takePersistedChanges(onlyDepartures: onlyDepartures) }
  }
}
