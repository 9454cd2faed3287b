// What leaves although its retention is not over. Everything here is called only with a limit, or
// when memory is short: see ``CacheBudget`` and ``EvictionOrder``.
extension CacheState {
  /// Begins to let entries leave when there are too many; `isLimited` is what each write asks, because it takes longer to
  /// ask whether there is a budget.
  mutating func limit(to limit: CacheLimit) {
    budget = CacheBudget(limit)
    isLimited = true
  }

  /// Somebody asked for an entry.
  @inline(never)
  mutating func noteUse(of index: Int) {
    budget?.order.used(index)
  }

  /// Whether nobody uses an entry, so that it may leave: it has no observer, caller, fetch or layer.
  func isUnused(_ index: Int) -> Bool {
    !slots[index].machine.isWanted && slots[index].machine.isIdle && !slots[index].machine.isPinned
  }

  /// An entry changed, or somebody came or left.
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
  /// At most as many as a search looks at, so that the lock is held briefly; then it asks for another
  /// transaction.
  @inline(never)
  mutating func evict(_ transaction: inout Transaction) {
    var left = lookLimit
    while let index = budget?.order.victim() {
      guard left > 0 else { return actionQueue.append(.evict) }
      left -= 1
      drop(index, reason: .evicted, &transaction)
    }
  }

  /// What is needed to ask what an entry costs.
  func measurable(_ entry: EntryID) -> (data: ValueBox, info: QueryInfo)? {
    guard let index = find(entry), let data = slots[index].data,
      let info = slots[index].info(slots[index].bareSnapshot, at: latest.instant)
    else { return nil }
    return (data, info)
  }

  /// An entry costs this, if it still has the data that was asked about.
  mutating func measured(_ entry: EntryID, _ data: ValueBox, cost: Int) {
    guard let index = find(entry), slots[index].data === data else { return }
    budget?.order.measured(index, cost: cost)
    if budget?.order.isOver == true { mayShrink = true }
  }
}
