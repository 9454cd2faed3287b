/// Which entries are offered to readers without the lock; only where many threads read.
struct EntryOffers: Sendable {
  private struct Row: Sendable {
    var offer: EntryOffer?
    /// Of the present and the former offers of the entry; `nil` if it was never offered.
    var uses: EntryUses?
    /// The same for the hits that receivers are told of.
    var hits: EntryHits?
  }

  let shards: ReadShards
  /// By slot.
  private var rows: [Row] = []
  /// The entries that are made until the uses of offers are counted again: each look visits all
  /// tables, so that it takes some time.
  private var rest = 0

  init(_ shards: ReadShards) {
    self.shards = shards
  }

  @inline(__always)
  func isOffered(_ index: Int) -> Bool { index < rows.count && rows[index].offer != nil }

  /// What counts the uses of an entry that is about to be offered.
  mutating func uses(of entry: EntryID, _ index: Int) -> EntryUses {
    while rows.count <= index { rows.append(Row()) }
    if let uses = rows[index].uses, uses.entry == entry { return uses }
    let uses = EntryUses(of: entry)
    rows[index].uses = uses
    return uses
  }

  /// What counts the hits of an entry that is about to be offered; `nil` if nobody is told of them.
  mutating func hits(of entry: EntryID, _ key: AnyQueryKey, _ index: Int) -> EntryHits? {
    guard shards.countsHits else { return nil }
    while rows.count <= index { rows.append(Row()) }
    if let hits = rows[index].hits { return hits }
    let hits = EntryHits(of: entry, key)
    rows[index].hits = hits
    return hits
  }

  mutating func add(_ offer: EntryOffer, _ index: Int) {
    guard shards.add(offer) else { return }
    while rows.count <= index { rows.append(Row()) }
    rows[index].offer = offer
  }

  /// Withdraws the offer of an entry.
  mutating func take(_ index: Int) -> EntryOffer? {
    guard index < rows.count, let offer = rows[index].offer.take() else { return nil }
    shards.remove(offer)
    return offer
  }

  /// An entry is gone, and its offer with it.
  ///
  /// - Returns: The uses that nobody has counted yet, and what counts hits, to be released outside
  ///   the lock.
  mutating func removed(_ index: Int) -> (uses: Int, hits: EntryHits?) {
    guard index < rows.count else { return (0, nil) }
    return (rows[index].uses.take()?.take() ?? 0, rows[index].hits.take())
  }

  /// Withdraws all offers; the entries stay where they are.
  mutating func takeAll() -> FormerOffers {
    let offers = rows.map(\.offer)
    for index in rows.indices { rows[index].offer = nil }
    return FormerOffers(tables: shards.removeAll(), rows: offers)
  }

  /// The slots of all entries are given up.
  mutating func takeRows() -> FormerOffers {
    let rows = self.rows
    self.rows = []
    return FormerOffers(
      tables: shards.removeAll(),
      rows: rows.map(\.offer),
      hits: rows.map(\.hits)
    )
  }

  /// An entry was made.
  ///
  /// - Parameter count: How many there are; of few, none may leave that was just used.
  /// - Returns: The entries that were used, in the order in which they were made, if it is time to
  ///   count that.
  mutating func entryWasMade(among count: Int) -> [EntryUses] {
    guard rest == 0 else {
      rest -= 1
      return []
    }
    rest = min(shards.count / 8, count / 64)
    // Hashes differ from process to process, and so does the order of the tables.
    return shards.takeUsed().sorted { $0.entry.generation < $1.entry.generation }
  }
}
