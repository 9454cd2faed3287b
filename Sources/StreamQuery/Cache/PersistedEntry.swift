/// A persisted entry at one instant.
struct PersistedEntry: Sendable {
  let id: EntryID
  let info: QueryInfo
  /// The query that says how to keep it.
  let query: StoredQuery
}
