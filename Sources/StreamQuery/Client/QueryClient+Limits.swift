extension QueryClient {
  /// Whether the number of entries, or their cost, has a limit.
  nonisolated var isLimited: Bool { configuration.limit != nil }

  /// Whether a read is more than a look.
  nonisolated var isRecorded: Bool { isLimited || configuration.readShards != nil }

  /// Notes that somebody read an entry.
  @inline(never)
  nonisolated func noteUse(of key: EntryKey) {
    cache.record { state in
      if let index = state.find(key) { state.noteUse(of: index) }
    }
  }

  /// Asks what an entry costs.
  nonisolated func measure(_ entry: EntryID) {
    guard let cost = configuration.limit?.cost,
      let (data, info) = cache.read({ $0.measurable(entry) })
    else { return }
    let answer = cost(info)
    transaction(isDated: false, startsFetches: false) { state, _ in
      state.measured(entry, data, cost: answer)
    }
  }

  /// Evicts what one transaction left; it asks again itself if there is still more.
  nonisolated func evict() {
    transaction(isDated: false, startsFetches: false) { state, _ in state.mayShrink = true }
  }

  /// Makes room, because memory is short: drops what nobody uses and is stale, or all that nobody
  /// uses.
  nonisolated func relieve(_ level: MemoryPressure.Level) {
    guard level > .normal else { return }
    // What is dropped before it was saved stays in memory until then; and the process may be ended.
    defer { if level == .critical { persisters.persister?.hurry() } }
    var end = Int.max
    while end > 0 {
      var asked: [StaleQuestion] = []
      (end, asked) = transaction(isDated: false, startsFetches: false) { [end] in
        $0.dropUnused(below: end, onlyStale: level < .critical, &$1)
      }
      // Functions of users, which say when data is stale, run outside the lock.
      let answers = asked.map { ($0.entry, $0.revision, $0.freshness) }
      guard !answers.isEmpty else { continue }
      transaction(isDated: false, startsFetches: false) { state, transaction in
        for (entry, revision, freshness) in answers {
          guard let index = state.find(entry), state.slots[index].revision == revision else {
            continue
          }
          state.dropUnused(index, ifStale: freshness, &transaction)
        }
      }
    }
  }
}

/// An entry whose stale time is a function.
private struct StaleQuestion: Sendable {
  let entry: EntryID
  let revision: UInt32
  let query: ResolvedQuery
  let info: QueryInfo

  /// Runs user code: never evaluate it under the lock.
  var freshness: Freshness { query.resolvedOptions { info }.freshness }
}

extension CacheState {
  /// Drops entries that nobody uses, from the last slot to the first: entries that move between
  /// calls only move to earlier slots, so none is left out.
  ///
  /// - Parameters:
  ///   - end: The slot where the last call stopped.
  ///   - onlyStale: Whether fresh entries stay.
  ///   - transaction: The transaction.
  /// - Returns: The slot where it stopped, 0 if all were looked at; and entries that only a function
  ///   can judge.
  fileprivate mutating func dropUnused(
    below end: Int,
    onlyStale: Bool,
    _ transaction: inout Transaction
  ) -> (end: Int, asked: [StaleQuestion]) {
    let now = transaction.environment.now.instant
    let end = min(end, slots.count)
    let start = max(0, end - lookLimit)
    var asked: [StaleQuestion] = []
    for index in (start..<end).reversed() where slots[index].key != nil && isUnused(index) {
      guard onlyStale, let query = slots[index].query?.resolved else {
        drop(index, reason: .evicted, &transaction)
        continue
      }
      if let options = query.fixedOptions {
        dropUnused(index, ifStale: options.freshness, &transaction)
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

  fileprivate mutating func dropUnused(
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
