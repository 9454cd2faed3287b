/// Names an entry of the cache; an identifier of a dropped entry names nothing.
struct EntryID: Hashable, Sendable {
  var index: Int32
  /// Tells the uses of one slot apart.
  var generation: UInt32
}

/// Names a consumer; an identifier of one that left names nothing.
struct ConsumerID: Hashable, Sendable {
  var index: Int32
  var generation: UInt32
}
