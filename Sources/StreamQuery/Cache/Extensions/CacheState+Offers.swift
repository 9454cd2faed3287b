// Offers for readers without the lock: see ``ReadShards``. Everything here is called only where
// many threads read.
extension CacheState {
  /// Lets the next readers of an entry find its data without the lock.
  ///
  /// Not while layers lie over the data: the visible data is the answer of a closure.
  @inline(never)
  mutating func offer(_ index: Int) {
    guard offers?.isOffered(index) == false, !isShutDown, slots[index].machine.hasData,
      !slots[index].isLayered, let data = slots[index].data, let key = slots[index].key
    else { return }
    let entry = id(of: index)
    let uses = isLimited ? offers?.uses(of: entry, index) : nil
    let offer = EntryOffer(
      key: key,
      data: data,
      query: slots[index].query,
      defaults: defaults,
      updatedAt: slots[index].machine.dataUpdatedAt.instant,
      isInvalidated: slots[index].machine.isInvalidated,
      isPart: slots[index].machine.extent == .part,
      serving: slots[index].servingRecord,
      uses: uses,
      hits: offers?.hits(of: entry, key.key, index)
    )
    offers?.add(offer, index)
  }

  /// An entry changes: readers have to ask the cache, which lets them wait for the end of the
  /// transaction.
  @inline(never)
  mutating func withdraw(_ index: Int, _ transaction: inout Transaction) {
    transaction.drop(offers?.take(index))
  }

  /// The same for an entry that is about to be removed.
  mutating func withdrawLast(_ index: Int, _ transaction: inout Transaction) {
    withdraw(index, &transaction)
    guard let (times, hits) = offers?.removed(index) else { return }
    budget?.order.used(index, times: times)
    transaction.drop(hits)
  }

  /// The same for all entries, which move to other slots or leave.
  @inline(never)
  mutating func withdrawAll(_ transaction: inout Transaction) {
    offers?.removeRows(into: &transaction.garbage)
  }

  /// Replaces the defaults for later queries, including those that an offer would answer.
  mutating func replaceDefaults(_ defaults: StoredDefaults, _ transaction: inout Transaction) {
    self.defaults = defaults
    offers?.removeAll(into: &transaction.garbage)
  }

  /// An entry was made, and others may have to leave: tells the order of eviction about uses of
  /// entries.
  @inline(never)
  mutating func countUses() {
    guard let used = offers?.entryWasMade(among: index.count) else { return }
    for uses in used {
      let times = uses.take()
      if let index = find(uses.entry) { budget?.order.used(index, times: times) }
    }
  }
}
