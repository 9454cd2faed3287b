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
        $0.dropUnused(below: end, onlyStale: level < .critical, &$1) {
          $0.resolved.fixedOptions?.freshness
        }
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

extension StaleQuestion {
  /// Runs user code: never evaluate it under the lock.
  fileprivate var freshness: Freshness { query.resolved.resolvedOptions { info }.freshness }
}
