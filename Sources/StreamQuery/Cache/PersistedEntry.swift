/// A persisted entry at one instant.
package struct PersistedEntry: Sendable {
  let id: EntryID
  package let info: QueryInfo
  /// The query that says how to keep it.
  let query: StoredQuery
  /// Whether its data is marked as invalidated, which may happen after the entry is gone.
  package var isInvalidated: Bool

  init(id: EntryID, info: QueryInfo, query: StoredQuery) {
    (self.id, self.info, self.query) = (id, info, query)
    isInvalidated = info.isInvalidated
  }

  /// A number that no other entry ever has.
  package var number: UInt64 { id.generation }

  /// Whether its data was neither fetched nor written: it was restored, or initial data.
  package var isAsItBegan: Bool { info.dataUpdateCount == 0 }
}
