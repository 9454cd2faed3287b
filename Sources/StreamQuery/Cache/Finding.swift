/// An entry that a search found.
struct Finding<Item: Sendable>: Sendable {
  var id: EntryID
  /// Its rank among the others.
  var rank: UInt64
  /// The info for the predicates of the filter; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
