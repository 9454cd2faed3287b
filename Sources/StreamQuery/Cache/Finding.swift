/// An entry that a search found.
struct Finding<Item: Sendable>: Sendable {
  var id: EntryID
  /// Where it stands among the others.
  var rank: UInt64
  /// What the predicates of the filter are asked about; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
