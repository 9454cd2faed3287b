// Eviction before the end of the retention. All of this is called only if the cache has a limit, or when
// memory is short: see ``CacheBudget`` and ``EvictionOrder``.
extension CacheState {
  /// Begins to evict entries when there are too many.
  mutating func limit(to limit: CacheLimit) {
    extensions.budget = CacheBudget(limit)
    extensions.active.insert(.budget)
  }

  /// Adds a new entry to the order of eviction.
  mutating func joinBudget(_ index: Int, isCrowded: Bool) {
    guard let key = slots[index].key?.storage else { return }
    extensions.budget?.added(index, key, isCrowded: isCrowded)
  }

  /// Counts a use of an entry by a caller that asked for it or wrote to it, perhaps outside of a transaction.
  @inline(__always)
  mutating func noteUse(of index: Int) {
    if extensions.active.contains(.budget) { extensions.budget?.order.used(index) }
  }

  /// The number of uses of an entry; 0 if the cache has no limit, because nobody counts then.
  func useCount(of index: Int) -> Int { extensions.budget?.order.uses(of: index) ?? 0 }

  /// The cost of all entries; 0 if the cache has no limit.
  var totalCost: Int { Int(clamping: extensions.budget?.order.totalCost ?? 0) }

  /// Whether nobody uses an entry, so that it may be evicted: it has no observer, caller, fetch or layer.
  func isUnused(_ index: Int) -> Bool {
    !slots[index].machine.isWanted && slots[index].machine.isIdle && !slots[index].machine.isPinned
  }

  /// Updates the order of eviction after a change of an entry or of its users.
  mutating func updateBudget(_ index: Int) {
    guard extensions.active.contains(.budget) else { return }
    let data = slots[index].data
    if extensions.budget?.isNews(data, index) == true {
      actionQueue.enqueue(.measure(id(of: index)))
    }
    let isIdle = isUnused(index)
    extensions.budget?.order.changed(index, isIdle: isIdle)
    // Entries are dropped at the end of the transaction, because the transaction may still use this entry.
    if extensions.budget?.order.isOver == true { bounds.mayShrink = true }
  }

  /// Drops entries until the cache is within its limit, or only entries in use are left.
  ///
  /// One call drops at most ``CacheBounds/lookLimit`` entries, and then requests another transaction.
  @inline(never)
  mutating func evict(_ transaction: inout Transaction) {
    var left = bounds.lookLimit
    while let index = extensions.budget?.order.victim() {
      guard left > 0 else { return actionQueue.enqueue(.evict) }
      left -= 1
      drop(index, reason: .evicted, &transaction)
    }
  }

  /// The data and info for evaluating the cost of an entry.
  func measurable(_ entry: EntryID) -> (data: ValueBox, info: QueryInfo)? {
    guard let index = find(entry), let data = slots[index].data,
      let info = slots[index].info(slots[index].bareSnapshot, at: environment.now.instant)
    else { return nil }
    return (data, info)
  }

  /// Sets the cost of an entry, if it still has the evaluated data.
  mutating func measured(_ entry: EntryID, _ data: ValueBox, cost: Int) {
    guard let index = find(entry), slots[index].data === data else { return }
    extensions.budget?.order.measured(index, cost: cost)
    if extensions.budget?.order.isOver == true { bounds.mayShrink = true }
  }

  /// Drops entries that nobody uses, from the last slot to the first: entries that move between
  /// calls only move to earlier slots, so none is missed.
  ///
  /// - Parameters:
  ///   - end: The slot where the last call stopped.
  ///   - onlyStale: Whether fresh entries stay.
  ///   - transaction: The transaction.
  ///   - fixed: Returns the freshness of a query; `nil` if a function of the user decides. It is called under
  ///     the lock and runs no user code.
  /// - Returns: The slot where the call stopped, 0 after all slots; and the entries whose freshness a
  ///   function of the user decides.
  mutating func dropUnused(
    below end: Int,
    onlyStale: Bool,
    _ transaction: inout Transaction,
    fixed: (StoredQuery) -> Freshness?
  ) -> (end: Int, asked: [StaleQuestion]) {
    let now = transaction.environment.now.instant
    let end = min(end, slots.count)
    let start = max(0, end - bounds.lookLimit)
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

/// An entry whose stale time a function has to return.
struct StaleQuestion: Sendable {
  let entry: EntryID
  let revision: UInt32
  let query: StoredQuery
  let info: QueryInfo
}
