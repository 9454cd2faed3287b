extension CacheState {
  func facts(_ key: EntryKey, at now: Instant) -> EntryFacts? {
    guard let index = find(key), let info = info(index, at: now) else { return nil }
    return EntryFacts(info: info, revision: slots[index].revision)
  }

  /// The facts of an entry when a query arrives at it; the entry takes that query's metadata.
  func facts(_ key: EntryKey, metBy query: StoredQuery, at now: Instant) -> EntryFacts {
    guard let index = find(key), var facts = facts(key, at: now) else { return .empty(key, query) }
    if slots[index].takes(query) { facts.info.meta = query.meta ?? QueryMeta() }
    return facts
  }

  /// The facts of an entry for a refresh; `nil` if none is wanted.
  ///
  /// An entry that the caller lists needs neither a result nor a query: it may come from a write by key or an
  /// optimistic change.
  func refreshable(
    _ index: Int,
    isListed: Bool
  ) -> (query: StoredQuery?, uses: Int, updatedAt: Instant?, version: RefreshPlan.DataVersion)? {
    let query = slots[index].query
    guard query != nil || isListed else { return nil }
    // Nothing is newer than the elements of an endless stream, unless the data was invalidated.
    guard !slots[index].machine.isLive || slots[index].machine.isInvalidated else { return nil }
    // Restored data never was a result in this process.
    let isUnobserved = slots[index].machine.observerCount == 0
    // Observers come a moment after their store is read.
    guard
      isBulkRefetched(index) || restoring(index) != nil
        || isUnobserved && (isListed || slots[index].machine.hasData)
    else { return nil }
    let updatedAt = slots[index].machine.hasData ? slots[index].machine.dataUpdatedAt.instant : nil
    return (query, budget?.order.uses(of: index) ?? 0, updatedAt, dataVersion(index))
  }

  func dataVersion(_ index: Int) -> RefreshPlan.DataVersion {
    RefreshPlan.DataVersion(
      entry: id(of: index),
      count: slots[index].machine.dataUpdateCount,
      updatedAt: slots[index].machine.dataUpdatedAt.instant
    )
  }
}

/// An info and the revision that it describes.
struct EntryFacts {
  var info: QueryInfo
  var revision: UInt32

  /// The facts about a key that has no entry, apart from the facts that the given query adds.
  static func empty(_ key: EntryKey, _ query: StoredQuery) -> EntryFacts {
    EntryFacts(info: .absent(key, query.meta), revision: 0)
  }
}

extension QueryInfo {
  /// The info of a key that has no entry.
  static func absent(_ key: EntryKey, _ meta: QueryMeta? = nil) -> QueryInfo {
    QueryInfo(
      key: key.key,
      observerCount: 0,
      waiterCount: 0,
      pollFailureCount: 0,
      isActive: false,
      isDisabled: true,
      isStatic: false,
      isStale: true,
      meta: meta ?? QueryMeta(),
      age: nil,
      entryKey: key,
      snapshot: .empty
    )
  }
}
