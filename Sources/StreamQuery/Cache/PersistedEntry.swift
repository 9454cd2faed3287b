/// A persisted entry at one instant.
struct PersistedEntry: Sendable {
  let id: EntryID
  let info: QueryInfo
  /// The query that says how to keep it.
  let query: StoredQuery
  /// Whether its data is marked as invalidated, which may happen after the entry is gone.
  var isInvalidated: Bool

  init(id: EntryID, info: QueryInfo, query: StoredQuery) {
    (self.id, self.info, self.query) = (id, info, query)
    isInvalidated = info.isInvalidated
  }

  /// Whether its data was neither fetched nor written: it was restored, or initial data.
  var isAsItBegan: Bool { info.dataUpdateCount == 0 }
}
