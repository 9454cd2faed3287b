/// An entry that a search found.
struct Finding<Item: Sendable>: Sendable {
  var id: EntryID
  /// Its rank among the others.
  var rank: UInt64
  /// The info by which it is judged; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
