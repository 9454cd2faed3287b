/// Names an entry of the cache; the identifier of a dropped entry names nothing.
///
/// Entries move when the tables are rebuilt, so two identifiers of one entry may differ in
/// ``index``. They are still equal.
struct EntryID: Sendable {
  /// Where the entry was when the identifier was made.
  var index: Int32
  /// Unique to the entry: no other one ever has it.
  var generation: UInt64
}

extension EntryID: Hashable {
  static func == (lhs: EntryID, rhs: EntryID) -> Bool { lhs.generation == rhs.generation }

  func hash(into hasher: inout Hasher) { hasher.combine(generation) }
}
