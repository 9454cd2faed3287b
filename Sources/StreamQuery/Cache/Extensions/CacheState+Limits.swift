// Eviction before the end of the retention. Everything here is called only with a limit, or when
// memory is short: see ``CacheBudget`` and ``EvictionOrder``.
extension CacheState {
  /// Begins to evict entries when there are too many.
  ///
  /// A write checks `isLimited`, because it takes longer to check whether there is a budget.
  mutating func limit(to limit: CacheLimit) {
    budget = CacheBudget(limit)
    isLimited = true
  }

  /// A caller asked for an entry.
  @inline(never)
  mutating func noteUse(of index: Int) {
    budget?.order.used(index)
  }

  /// Whether nobody uses an entry, so that it may be evicted: it has no observer, caller, fetch or layer.
  func isUnused(_ index: Int) -> Bool {
    !slots[index].machine.isWanted && slots[index].machine.isIdle && !slots[index].machine.isPinned
  }

  /// An entry or its users changed.
  @inline(never)
  mutating func updateBudget(_ index: Int) {
    let data = slots[index].data
    if budget?.isNews(data, index) == true { actionQueue.append(.measure(id(of: index))) }
    let isIdle = isUnused(index)
    budget?.order.changed(index, isIdle: isIdle)
    // At the end of the transaction, which may go on with the entry.
    if budget?.order.isOver == true { mayShrink = true }
  }

  /// Drops entries until the budget is kept, or only entries in use are left.
  ///
  /// At most as many as a search visits, so that the lock is held briefly; then requests another transaction.
  @inline(never)
  mutating func evict(_ transaction: inout Transaction) {
    var left = lookLimit
    while let index = budget?.order.victim() {
      guard left > 0 else { return actionQueue.append(.evict) }
      left -= 1
      drop(index, reason: .evicted, &transaction)
    }
  }

  /// The data and info for evaluating the cost of an entry.
  func measurable(_ entry: EntryID) -> (data: ValueBox, info: QueryInfo)? {
    guard let index = find(entry), let data = slots[index].data,
      let info = slots[index].info(slots[index].bareSnapshot, at: latest.instant)
    else { return nil }
    return (data, info)
  }

  /// Sets the cost of an entry, if it still has the evaluated data.
  mutating func measured(_ entry: EntryID, _ data: ValueBox, cost: Int) {
    guard let index = find(entry), slots[index].data === data else { return }
    budget?.order.measured(index, cost: cost)
    if budget?.order.isOver == true { mayShrink = true }
  }

  /// Drops entries that nobody uses, from the last slot to the first: entries that move between
  /// calls only move to earlier slots, so none is missed.
  ///
  /// - Parameters:
  ///   - end: The slot where the last call stopped.
  ///   - onlyStale: Whether fresh entries stay.
  ///   - transaction: The transaction.
  ///   - fixed: The freshness of a query; `nil` if a function decides. It is called under the lock and runs
  ///     no user code.
  /// - Returns: The slot where it stopped, 0 after all slots; and entries that only a function can judge.
  mutating func dropUnused(
    below end: Int,
    onlyStale: Bool,
    _ transaction: inout Transaction,
    fixed: (StoredQuery) -> Freshness?
  ) -> (end: Int, asked: [StaleQuestion]) {
    let now = transaction.environment.now.instant
    let end = min(end, slots.count)
    let start = max(0, end - lookLimit)
    var asked: [StaleQuestion] = []
    for index in (start..<end).reversed() where slots[index].key != nil && isUnused(index) {
      guard onlyStale, let query = slots[index].query else {
        drop(index, reason: .evicted, &transaction)
        continue
      }
      if let freshness = fixed(query) {
        dropUnused(index, ifStale: freshness, &transaction)
      } else if let info = info(index, at: now) {
        asked.append(
          StaleQuestion(
            entry: id(of: index),
            revision: slots[index].revision,
            query: query,
            info: info
          )
        )
      }
    }
    return (start, asked)
  }

  mutating func dropUnused(
    _ index: Int,
    ifStale freshness: Freshness,
    _ transaction: inout Transaction
  ) {
    guard isUnused(index),
      slots[index].machine.isStale(freshness, at: transaction.environment.now.instant)
    else { return }
    drop(index, reason: .evicted, &transaction)
  }
}

/// The limit of a cache, and the order of eviction.
struct CacheBudget: Sendable {
  var order: EvictionOrder
  /// The largest key of an entry that is kept.
  private let maxKeySize: Int
  /// Whether a function of the user evaluates the cost of entries.
  private let isMeasured: Bool
  /// The data, by slot, that is measured or about to be.
  private var measured: [ObjectIdentifier?] = []

  init(_ limit: CacheLimit) {
    order = EvictionOrder(maxEntries: limit.maxEntries, maxCost: limit.maxCost)
    maxKeySize = limit.maxKeySize ?? .max
    isMeasured = limit.maxCost != nil && limit.cost != nil
  }

  /// An entry came.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - key: Its key.
  ///   - isCrowded: Whether too many keys have the same hash.
  mutating func added(_ index: Int, _ key: KeyStorage, isCrowded: Bool) {
    let isPassing = isCrowded || maxKeySize != .max && key.isLarger(than: maxKeySize)
    order.added(index, hash: key.hash, isPassing: isPassing)
  }

  /// Whether the cost of an entry has to be evaluated, because it has other data than before.
  ///
  /// The former data was there until the present data came, so no two have the same identity.
  mutating func isNews(_ data: ValueBox?, _ index: Int) -> Bool {
    guard isMeasured else { return false }
    while measured.count <= index { measured.append(nil) }
    let identity = data.map { ObjectIdentifier($0) }
    guard measured[index] != identity else { return false }
    measured[index] = identity
    if data == nil { order.measured(index, cost: 1) }
    return data != nil
  }

  /// An entry is gone.
  mutating func removed(_ index: Int) {
    order.removed(index)
    if index < measured.count { measured[index] = nil }
  }

  /// Entries moved to other slots, and all others are gone.
  mutating func moved(_ kept: [Int32]) {
    order.moved(kept)
    guard isMeasured else { return }
    let old = measured
    measured = kept.map { Int($0) < old.count ? old[Int($0)] : nil }
  }
}

/// An entry whose stale time is a function.
struct StaleQuestion: Sendable {
  let entry: EntryID
  let revision: UInt32
  let query: StoredQuery
  let info: QueryInfo
}
