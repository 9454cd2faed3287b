// Copies of entries that are read without the lock (see ``ReadShards``). A client without shards has
// no copies; then these functions do nothing.
extension CacheState {
  /// Lets readers find copies of entries without the lock from now on.
  mutating func offerEntries(to shards: ReadShards) {
    extensions.replicas = ReadReplicas(shards)
    extensions.active.insert(.replicas)
  }

  /// Tells readers without the lock the time of the latest transaction.
  @inline(__always)
  mutating func advanceReaders(to now: Instant) {
    if extensions.active.contains(.replicas) { extensions.replicas?.shards.advance(to: now) }
  }

  /// Lets the next readers of an entry find its data without the lock.
  ///
  /// An entry with layers of mutations gets no copy, because a closure computes the data that readers see.
  mutating func publish(_ index: Int) {
    guard extensions.replicas?.isPublished(index) == false, !isShutDown,
      slots[index].machine.hasData,
      !slots[index].isLayered, let data = slots[index].data, let key = slots[index].key
    else { return }
    let entry = id(of: index)
    let uses =
      extensions.active.contains(.budget) ? extensions.replicas?.uses(of: entry, index) : nil
    let replica = ReadReplica(
      key: key,
      data: data,
      query: slots[index].query,
      defaults: defaults,
      updatedAt: slots[index].machine.dataUpdatedAt.instant,
      isInvalidated: slots[index].machine.isInvalidated,
      isPart: slots[index].machine.extent == .part,
      serving: slots[index].servingRecord,
      uses: uses,
      hits: extensions.replicas?.hits(of: entry, key.key, index)
    )
    extensions.replicas?.publish(replica, index)
  }

  /// Withdraws the copy of an entry that changes, so that readers take the lock and wait for the
  /// end of the transaction.
  mutating func unpublish(_ index: Int, _ transaction: inout Transaction) {
    transaction.drop(extensions.replicas?.unpublish(index))
  }

  /// Withdraws the copy of an entry that is about to be removed.
  mutating func unpublishLast(_ index: Int, _ transaction: inout Transaction) {
    unpublish(index, &transaction)
    guard let (times, hits) = extensions.replicas?.removed(index) else { return }
    extensions.budget?.order.used(index, times: times)
    transaction.drop(hits)
  }

  /// Tells the order of eviction how often copies were read, because a new entry may evict others.
  mutating func countUses() {
    guard let used = extensions.replicas?.entryWasMade(among: slots.keys.count) else { return }
    for uses in used {
      let times = uses.takeCount()
      if let index = find(uses.entry) { extensions.budget?.order.used(index, times: times) }
    }
  }
}
