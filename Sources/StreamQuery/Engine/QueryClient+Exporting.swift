// The client's side of exports.

nonisolated extension QueryClient {
  /// The matching entries and all runs, both at one instant, so that no archive has half of a
  /// transaction.
  package func exportContent(
    _ filter: QueryFilter
  ) -> (entries: [(info: QueryInfo, progress: ExportProgress)], runs: [MutationInfo]) {
    let (search, runs) = search(filter, wantsInfo: true) { state, index, _ in
      state.exportProgress(index)
    } finally: { _, state, _ in
      // The archive may be imported here long after the runs are forgotten, so their identities are
      // remembered.
      state.rememberPausedRuns()
      return state.mutations.all.compactMap { id in
        state.mutations.find(id).flatMap { state.mutations.snapshot($0) }
      }
    }
    let entries = search.allMatches().compactMap { match in
      match.info.map { (info: $0, progress: match.item) }
    }
    return (entries, runs.map(MutationInfo.init))
  }

  /// The states of entries that an export awaits.
  package func presence(of keys: [EntryKey], at now: Instant) -> [ExportPresence] {
    cache.read { state in keys.map { state.presence(of: $0, at: now) } }
  }

  /// Returns a stream with an element when fetches begin, pause or end, but not when the client ends.
  package func fetchEnds() -> AsyncStream<Void> {
    stream(of: fetchNews(), "the ends of fetches") { [weak self] in
      self?.isOver == false ? () : nil
    }
  }

  /// The present time of the client's clock.
  package var instant: Instant { cache.now(isDated: false).instant }

  /// Waits until an instant.
  ///
  /// - Returns: Whether the instant has come; `false` if the task is cancelled.
  package func sleep(until instant: Instant) async -> Bool {
    if cache.clock.now() >= instant { return true }
    return (try? await deadlines.sleep(until: instant)) != nil
  }
}

extension QueryInfo {
  /// The data without optimistic changes.
  package var base: ValueBox? { snapshot.base }

  /// The date when the data was current, in seconds since the reference date.
  package var dataDate: Double { snapshot.dataUpdatedAt.date }

  /// The date when the fetch failed, in seconds since the reference date.
  package var errorDate: Double { snapshot.errorUpdatedAt.date }
}

extension MutationInfo {
  /// The identity of the run, and the number of changes of its input.
  package var origin: (key: EntryKey, identity: RunIdentity, revision: UInt64) {
    (snapshot.key, snapshot.job.identity, snapshot.revision)
  }
}
