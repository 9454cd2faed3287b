/// The persisted entries that changed since the persister last took changes.
package struct PersistedChanges: Sendable {
  /// An entry that is gone.
  package enum Removal: Sendable {
    /// The entry was removed: remove its saved data too. If `hadData` is `false`, the saved data may not have
    /// been restored yet.
    case removed(EntryKey, hadData: Bool)
    /// The entry expired or was evicted, or a query that is not persisted took it over. The last change of
    /// its data may not be saved yet.
    case expired(PersistedEntry)
    /// All entries were removed.
    case removedAll
  }

  private(set) var changed: Set<EntryID> = []
  /// The removals in order of time; entries that were made again afterwards are in ``changed``.
  private(set) var removals: [Removal] = []
  /// The number of changes and removals so far.
  private(set) var noteCount: UInt64 = 0

  var isEmpty: Bool { changed.isEmpty && removals.isEmpty }

  /// The number of removals after which the persister is called again, because removals hold values.
  static let most = 128

  /// Whether there are so many removals that the persister should take them now.
  var isCrowded: Bool { removals.count >= Self.most }

  /// Records that an entry changed.
  ///
  /// - Returns: Whether the persister has to be called, because it has taken all earlier changes.
  mutating func entryChanged(_ entry: EntryID) -> Bool {
    noteCount &+= 1
    let isFirst = isEmpty
    changed.insert(entry)
    return isFirst
  }

  /// Records that an entry is gone.
  ///
  /// - Returns: Whether the persister has to be called: it has taken all earlier changes, or there are many
  ///   removals.
  mutating func entryLeft(_ removal: Removal, of entry: EntryID?) -> Bool {
    noteCount &+= 1
    let isFirst = isEmpty
    switch removal {
    case .removed, .expired: if let entry { changed.remove(entry) }
    case .removedAll:
      changed = []
      removals = []
    }
    removals.append(removal)
    return isFirst || removals.count.isMultiple(of: Self.most)
  }

  /// Takes the removals, and some of the changed entries.
  ///
  /// - Parameter limit: The maximum number of entries; 0 takes only removals.
  /// - Returns: The removals and the changed entries.
  mutating func takeChanges(atMost limit: Int) -> (removals: [Removal], changed: [EntryID]) {
    var taken: (removals: [Removal], changed: [EntryID]) = ([], [])
    swap(&taken.removals, &removals)
    guard limit > 0 else { return taken }
    guard changed.count > limit else {
      taken.changed = Array(changed)
      changed = []
      return taken
    }
    taken.changed = Array(changed.prefix(limit))
    changed.subtract(taken.changed)
    return taken
  }
}

/// A persisted entry at one instant.
package struct PersistedEntry: Sendable {
  let id: EntryID
  package let info: QueryInfo
  /// The query; it says how to keep the entry.
  let query: StoredQuery
  /// Whether the data counts as invalidated; the persister may set this after the entry is gone.
  package var isInvalidated: Bool

  init(id: EntryID, info: QueryInfo, query: StoredQuery) {
    (self.id, self.info, self.query) = (id, info, query)
    isInvalidated = info.isInvalidated
  }

  /// A number that no other entry ever has.
  package var number: UInt64 { id.generation }

  /// Whether the data was neither fetched nor written, but restored, or is initial data.
  package var isUntouched: Bool { info.dataUpdateCount == 0 }
}

/// The persister's access to the changes of persisted entries; it works even while the client is being freed.
package struct EntryJournal: Sendable {
  let cache: QueryCache

  /// Whether there are changes to take.
  package var hasChanges: Bool { cache.read { $0.hasPersistedChanges } }

  /// Whether so many removed entries wait to be saved that the persister should take them now.
  package var isCrowded: Bool { cache.read { $0.extensions.persisted?.isCrowded } == true }

  /// Takes changes.
  ///
  /// - Parameter onlyRemovals: Whether to take only removals. This is quick, because it visits no entries.
  /// - Returns: The removals, then entries as they are now; and whether these were all.
  package func takeChanges(
    onlyRemovals: Bool
  ) -> (removals: [PersistedChanges.Removal], entries: [PersistedEntry], isAll: Bool) {
    cache.record { $0.takePersistedChanges(onlyRemovals: onlyRemovals) }
  }
}
