/// Which entries are offered to readers without the lock; only where many threads read.
struct EntryOffers: Sendable {
  let shards: ReadShards
  /// The offers by slot.
  private var rows: [EntryOffer?] = []
  /// The entries that are made until the uses of offers are counted again: each look visits all
  /// tables, so that it takes some time.
  private var rest = 0

  init(_ shards: ReadShards) {
    self.shards = shards
  }

  @inline(__always)
  func isOffered(_ index: Int) -> Bool { index < rows.count && rows[index] != nil }

  mutating func add(_ offer: EntryOffer, _ index: Int) {
    guard shards.add(offer) else { return }
    while rows.count <= index { rows.append(nil) }
    rows[index] = offer
  }

  /// Withdraws the offer of an entry.
  mutating func take(_ index: Int) -> EntryOffer? {
    guard index < rows.count, let offer = rows[index].take() else { return nil }
    shards.remove(offer)
    return offer
  }

  /// Withdraws all offers.
  mutating func takeAll() -> FormerOffers {
    var old: [EntryOffer?] = []
    swap(&old, &rows)
    return FormerOffers(tables: shards.removeAll(), rows: old)
  }

  /// An entry was made.
  ///
  /// - Returns: The entries that were used, in the order in which they were made, if it is time to
  ///   count that.
  mutating func entryWasMade() -> [EntryUses] {
    guard rest == 0 else {
      rest -= 1
      return []
    }
    rest = shards.count / 8
    // Hashes differ from process to process, and so does the order of the tables.
    return shards.takeUsed().sorted { $0.entry.generation < $1.entry.generation }
  }
}
