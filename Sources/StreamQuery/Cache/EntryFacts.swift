/// An info with the revision that it is of.
struct EntryFacts {
  var info: QueryInfo
  var revision: UInt32

  /// What is known of a key that has no entry, beside what the plan says that asks.
  static func empty(_ key: EntryKey, _ plan: ResolvedPlan) -> EntryFacts {
    EntryFacts(
      info: QueryInfo(
        key: key.key,
        observerCount: 0,
        waiterCount: 0,
        isActive: false,
        isDisabled: true,
        isStatic: false,
        isStale: true,
        meta: plan.meta ?? QueryMeta(),
        age: nil,
        entryKey: key,
        frame: .empty
      ),
      revision: 0
    )
  }
}

extension CacheState {
  func facts(_ key: EntryKey, at now: Moment) -> EntryFacts? {
    guard let index = find(key), let info = info(index, at: now) else { return nil }
    return EntryFacts(info: info, revision: slots[index].revision)
  }

  /// What an entry is when a plan comes to it, whose facts it is going to carry.
  func facts(_ key: EntryKey, metBy plan: ResolvedPlan, at now: Moment) -> EntryFacts {
    guard let index = find(key), var facts = facts(key, at: now) else { return .empty(key, plan) }
    if slots[index].takes(plan) { facts.info.meta = plan.meta ?? QueryMeta() }
    return facts
  }
}
