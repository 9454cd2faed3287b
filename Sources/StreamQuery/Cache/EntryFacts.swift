/// An info and the revision that it describes.
struct EntryFacts {
  var info: QueryInfo
  var revision: UInt32

  /// The facts about a key that has no entry, apart from what the given query adds.
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

extension CacheState {
  func facts(_ key: EntryKey, at now: Instant) -> EntryFacts? {
    guard let index = find(key), let info = info(index, at: now) else { return nil }
    return EntryFacts(info: info, revision: slots[index].revision)
  }

  /// The facts of an entry when a query arrives at it; the entry is going to carry that query's
  /// metadata.
  func facts(_ key: EntryKey, metBy query: StoredQuery, at now: Instant) -> EntryFacts {
    guard let index = find(key), var facts = facts(key, at: now) else { return .empty(key, query) }
    if slots[index].takes(query) { facts.info.meta = query.meta ?? QueryMeta() }
    return facts
  }
}
