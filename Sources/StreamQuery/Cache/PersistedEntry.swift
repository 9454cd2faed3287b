/// A persisted entry at one instant.
struct PersistedEntry: Sendable {
  let id: EntryID
  let info: QueryInfo
  /// The query that says how to keep it.
  let query: StoredQuery
  /// Whether its data is marked as invalidated, which may happen after the entry is gone; a part of a
  /// streamed value always is.
  var isInvalidated: Bool

  init(id: EntryID, info: QueryInfo, query: StoredQuery) {
    (self.id, self.info, self.query) = (id, info, query)
    isInvalidated = info.isInvalidated || info.isPart
  }

  /// Whether its data was neither fetched nor written: it was restored, or initial data.
  var isAsItBegan: Bool { info.dataUpdateCount == 0 }
}
