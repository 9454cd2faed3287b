/// An entry whose observers wait for a store.
struct RestoringEntry: Sendable {
  let id: EntryID
  /// How the entry is kept there.
  let query: StoredQuery
}
