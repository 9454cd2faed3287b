/// Names an entry of the cache; an identifier of a dropped entry names nothing.
///
/// Entries move when the tables are rebuilt, so two identifiers of one entry may differ in ``index``:
/// they are equal all the same.
struct EntryID: Sendable {
  /// Where the entry lay when it was named.
  var index: Int32
  /// The entry's own: no other one ever has it.
  var generation: UInt64
}

extension EntryID: Hashable {
  static func == (lhs: EntryID, rhs: EntryID) -> Bool { lhs.generation == rhs.generation }

  func hash(into hasher: inout Hasher) { hasher.combine(generation) }
}
