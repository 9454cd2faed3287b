nonisolated extension QueryClient {
  /// Whether the number of entries, or their cost, has a limit.
  var isLimited: Bool { configuration.limit != nil }

  /// Whether a read is recorded as a use of its entry, or leaves a copy for other readers.
  var isRecorded: Bool { isLimited || configuration.readShards != nil }

  /// Counts a use of an entry that was read.
  @inline(never)
  func noteUse(of key: EntryKey) {
    cache.record { state in
      if let index = state.find(key) { state.noteUse(of: index) }
    }
  }

  /// Evaluates the cost of an entry.
  func measure(_ entry: EntryID) {
    guard let cost = configuration.limit?.cost,
      let (data, info) = cache.read({ $0.measurable(entry) })
    else { return }
    let answer = cost(info)
    transaction(isDated: false) { state, _ in
      state.measured(entry, data, cost: answer)
    }
  }

  /// Continues an eviction, because one transaction evicts only a limited number of entries.
  func evict() {
    transaction(isDated: false) { state, _ in state.bounds.mayShrink = true }
  }

  /// Makes room when memory is short: drops unused entries, either the stale ones or all.
  func relieve(_ level: MemoryPressure.Level) {
    guard level > .normal else { return }
    // Saves dropped entries at once: they stay in memory until then, and the system may end the process.
    defer { if level == .critical { persisters.persister?.flush() } }
    var end = Int.max
    while end > 0 {
      var asked: [StaleQuestion] = []
      (end, asked) = transaction(isDated: false) { [end] in
        $0.dropUnused(below: end, onlyStale: level < .critical, &$1) {
          $0.resolved.fixedOptions?.freshness
        }
      }
      // The freshness is read outside the lock, because functions of users may decide when data is stale.
      let answers = asked.map { ($0.entry, $0.revision, $0.freshness) }
      guard !answers.isEmpty else { continue }
      transaction(isDated: false) { state, transaction in
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
  /// The freshness of the data.
  ///
  /// This runs user code, so do not read it under the lock.
  fileprivate var freshness: Freshness { query.resolved.resolvedOptions { info }.freshness }
}
