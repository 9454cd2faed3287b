// What an entry needs once it is observed, is waited for, or has failed: one property each of
// `RareData`, read as if it were the entry's own.
extension EntrySlot {
  /// A reference that most entries do not have: reading finds `nil`, clearing makes no room.
  subscript<Value>(dynamicMember path: WritableKeyPath<RareData, Value?>) -> Value? {
    @inline(__always) get { rareData.isEmpty ? nil : rareData[0][keyPath: path] }
    @inline(__always) set {
      guard newValue != nil || !rareData.isEmpty else { return }
      makeRareData()
      rareData[0][keyPath: path] = newValue
    }
  }

  /// A list that is empty for most entries; changed in place, with a setter it would be copied.
  subscript<Element>(dynamicMember path: WritableKeyPath<RareData, [Element]>) -> [Element] {
    @inline(__always) get { rareData.isEmpty ? [] : rareData[0][keyPath: path] }
    @inline(__always) _modify {
      makeRareData()
      yield &rareData[0][keyPath: path]
    }
  }

  /// A number that is 0 for most entries.
  subscript<Number: FixedWidthInteger>(
    dynamicMember path: WritableKeyPath<RareData, Number>
  ) -> Number {
    @inline(__always) get { rareData.isEmpty ? 0 : rareData[0][keyPath: path] }
    @inline(__always) _modify {
      makeRareData()
      yield &rareData[0][keyPath: path]
    }
  }

  private mutating func makeRareData() {
    if rareData.isEmpty { rareData.append(RareData()) }
  }

  /// Gives back the room if nothing is left in it.
  ///
  /// For entries that were fetched and are not observed: most fetched entries never are.
  mutating func dropEmptyRareData() {
    if !rareData.isEmpty, rareData[0].isEmpty { rareData = [] }
  }

  /// Removes all waiters, and the one whose call started the fetch.
  mutating func takeWaiters() -> (waiters: [Waiter], initiator: Waiter?) {
    guard !rareData.isEmpty else { return ([], nil) }
    var waiters: [Waiter] = []
    swap(&waiters, &rareData[0].waiters)
    rareData[0].waiterRound = 0
    rareData[0].goneWaiters = 0
    return (waiters, rareData[0].initiator.take())
  }

  /// Whether the entry is observed.
  var isWatched: Bool { !rareData.isEmpty && !rareData[0].observers.isEmpty }

  /// Whether layers of mutations lie over the data.
  var isLayered: Bool { !rareData.isEmpty && !rareData[0].layers.isEmpty }

  /// Whether the fetch in flight hid data.
  var hasStash: Bool { !rareData.isEmpty && rareData[0].stashed != nil }
}
