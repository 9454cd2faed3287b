// Facts about entries and runs: for users' functions, for archives, and for the reports of tests
// that wait too long.
extension CacheState {
  func facts(_ key: EntryKey, at now: Instant) -> EntryFacts? {
    guard let index = find(key), let info = info(index, at: now) else { return nil }
    return EntryFacts(info: info, revision: slots[index].revision)
  }

  /// The facts of an entry for a query that is about to use it, with the metadata that the entry
  /// would take from that query.
  func facts(_ key: EntryKey, metBy query: StoredQuery, at now: Instant) -> EntryFacts {
    guard let index = find(key), var facts = facts(key, at: now) else { return .empty(key, query) }
    if slots[index].takes(query) { facts.info.meta = query.meta ?? QueryMeta() }
    return facts
  }

  /// For a refresh, the query of an entry, and the uses, time and version of its data; `nil` if the entry is
  /// not refreshed.
  ///
  /// An entry that the caller lists by its key is refreshed even without a query or data of a fetch: it may
  /// come from a write by key or an optimistic change.
  func refreshable(
    _ index: Int,
    isListed: Bool
  ) -> (query: StoredQuery?, uses: Int, updatedAt: Instant?, version: RefreshPlan.DataVersion)? {
    let query = slots[index].query
    guard query != nil || isListed else { return nil }
    // A refresh could bring nothing newer than the elements of an endless stream, unless the data
    // was invalidated.
    guard !slots[index].machine.isLive || slots[index].machine.isInvalidated else { return nil }
    // An unobserved entry with restored data counts as disabled, because this process has not fetched it. It
    // is refreshed nevertheless.
    let isUnobserved = slots[index].machine.observerCount == 0
    // Observers that wait for a store count, because they subscribe once the store is read.
    guard
      isBulkRefetched(index) || restoring(index) != nil
        || isUnobserved && (isListed || slots[index].machine.hasData)
    else { return nil }
    let updatedAt = slots[index].machine.hasData ? slots[index].machine.dataUpdatedAt.instant : nil
    return (query, useCount(of: index), updatedAt, dataVersion(index))
  }

  func dataVersion(_ index: Int) -> RefreshPlan.DataVersion {
    RefreshPlan.DataVersion(
      entry: id(of: index),
      count: slots[index].machine.dataUpdateCount,
      updatedAt: slots[index].machine.dataUpdatedAt.instant
    )
  }

  // MARK: Archives

  /// The state of an entry, for an export that waits for the entry's fetch.
  borrowing func presence(of key: EntryKey, at now: Instant) -> ExportPresence {
    guard let index = find(key) else { return .gone }
    switch exportProgress(index) {
    case .first: return .fetching
    // The fetch waits for an import, or shows parts: the receiver of the archive must not wait for
    // it.
    case .partial, .incomplete, .uncertain: return .gone
    case .none:
      return info(index, at: max(now, environment.now.instant)).map { .settled($0) } ?? .gone
    }
  }

  /// How far the fetch of an entry is, for archives that may wait for the data.
  func exportProgress(_ index: Int) -> ExportProgress {
    if slots[index].machine.extent == .part {
      return slots[index].machine.isArriving ? .partial : .incomplete
    }
    guard let current = slots[index].machine.fetch, slots[index].machine.isFetching else {
      return .none
    }
    guard !slots[index].machine.hasData else { return .none }
    // A query that shows parts, such as a streamed one, may never be complete.
    return current.fetchOptions.showsParts || slots[index].machine.isDeferred ? .uncertain : .first
  }

  // MARK: What goes on

  func liveFetches(at now: Instant) -> [Liveness.Work] {
    slots.live.sorted().compactMap { index in
      let index = Int(index)
      guard let key = slots[index].key, let stage = slots[index].machine.stage else { return nil }
      let activity: Liveness.Work.Activity
      switch stage {
      case .running: activity = WorkWait.isWaiting(work(of: index)) ? .waitingForWork : .running
      case .waiting(let time): activity = .resting(time.distance(after: now))
      case .deferred(let time?): activity = .resting(time.distance(after: now))
      case .deferred(nil): activity = .waitingForWork
      case .paused: activity = .paused
      }
      return Liveness.Work("a fetch of \(key.key)", activity)
    }
  }

  func liveRuns(at now: Instant) -> [Liveness.Work] {
    mutations.all.compactMap { id in
      guard let index = mutations.find(id), let job = mutations.slots[index].job else { return nil }
      let activity: Liveness.Work.Activity
      switch mutations.slots[index].machine.phase {
      case .ended: return nil
      case .preparing, .running, .settling:
        let run = WorkID.run(cache: self.id, serial: id.serial, scope: job.scope)
        activity = WorkWait.isWaiting(run) ? .waitingForWork : .running
      case .queued: activity = .queued
      case .waiting(let time): activity = .resting(time.distance(after: now))
      case .saving, .paused, .stopped: activity = .paused
      }
      return Liveness.Work("a run of the mutation \(job.key.key)", activity)
    }
  }
}

/// The info of an entry, and the revision of the entry that the info describes.
struct EntryFacts {
  var info: QueryInfo
  var revision: UInt32

  /// The facts about a key that has no entry, with the metadata of the given query.
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

/// The state of an entry that an export awaits.
package enum ExportPresence {
  case fetching
  /// The fetch has ended or is paused, with or without data.
  case settled(QueryInfo)
  case gone
}

/// How far a fetch is, for archives that may wait for the data.
package enum ExportProgress: Equatable, Sendable {
  /// There is no fetch, or there is data that the fetch is going to replace.
  case none
  /// The fetch is going to bring the first data.
  case first
  /// The fetch may bring the first data in parts, or waits for an import itself.
  case uncertain
  /// The data is a part; the rest is coming.
  case partial
  /// The data is a part, but there is nothing to wait for: the stream has no end, or is over.
  case incomplete
}

extension Instant {
  fileprivate func distance(after other: Instant) -> Duration {
    .nanoseconds(max(0, nanoseconds - other.nanoseconds))
  }
}
