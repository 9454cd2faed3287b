import Synchronization

// Reads of replicas, the copies of entries that can be read without the cache's lock: see `ReadShards`.
nonisolated extension QueryClient {
  /// The data of an entry, if the cache itself would give the same answer and do nothing else.
  ///
  /// - Parameters:
  ///   - key: The entry.
  ///   - definition: The query.
  ///   - need: The cached data that the caller accepts.
  ///   - shards: The tables of replicas.
  /// - Returns: The data; `nil` if the cache has to be asked.
  @inline(never)
  func publishedData(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: CachePolicy,
    _ shards: ReadShards
  ) -> ValueBox? {
    // If receivers are told of each lookup, the lookup takes the lock, so that they are told in the order
    // of transactions.
    guard need != .always, !cache.isHeard, let replica = shards.replica(of: key) else { return nil }
    let now = shards.time(cache.clock.now())
    // Data that is stale for the entry's own query is stale for most queries, which then need not be resolved
    // here.
    if let known = replica.query?.resolved, known.canFetch,
      replica.isStale(known.fixedFreshness, at: now)
    {
      return nil
    }
    guard let terms = terms(of: replica, definition), !replica.isStale(terms.freshness, at: now),
      // If a refetch ahead of time is due, the cache has to start it.
      !replica.isRefreshDue(terms.refreshAhead, terms.freshness, at: now),
      // If this query has a longer retention than the entry's, the cache has to apply it.
      terms.gcTime <= replica.query?.gcTime ?? .zero
    else { return nil }
    if shards.noteUse(of: replica, isLookup: true) {
      hitReports?.hitsCame(cache.clock, executor: configuration.executor)
    }
    return replica.data
  }

  /// The options of the query that decide about a hit, under the defaults of a replica.
  ///
  /// If the program keeps one query for all calls, the entry's query was made from it, and is resolved. For a
  /// query that is made at each call, the options are determined without resolving it, if possible.
  private func terms(of replica: ReadReplica, _ definition: QueryDefinition) -> HitTerms? {
    if let known = replica.query?.resolved, known.isMade(of: definition),
      // The identifiers are compared, because comparing references would make all threads retain
      // and release the same object.
      ObjectIdentifier(known.storedDefaults) == ObjectIdentifier(replica.defaults)
    {
      return HitTerms(known)
    }
    // The defaults are not in a variable, because all threads would retain and release it.
    if let terms = HitTerms.of(definition, replica.defaults.table) { return terms }
    return HitTerms(
      ResolvedQuery(definition, for: replica.key.key, defaults: replica.defaults.table)
    )
  }
}

/// Tells receivers the number of hits that took no lock.
///
/// The first hit after a report schedules the next report, so that a client without hits has no timer. See
/// ``EventReceiver``.
final class HitReports: Sendable {
  private let shards: ReadShards
  private let receivers: [@Sendable (_ key: AnyQueryKey, _ count: Int) -> Void]
  private let timer = WakeTimer()
  private let isOver = Atomic(false)

  /// Creates reports; `nil` if nobody receives them, or every hit takes the lock.
  init?(_ configuration: QueryClient.Configuration, _ shards: ReadShards?) {
    receivers = configuration.eventReceivers.compactMap(\.hits)
    guard let shards, !receivers.isEmpty else { return nil }
    self.shards = shards
  }

  /// Schedules a report of hits that were not reported yet.
  func hitsCame(_ clock: ErasedClock, executor: (any TaskExecutor)?) {
    // If the client has ended meanwhile, its last report may have missed this hit, so it is reported here.
    guard !isOver.load(ordering: .acquiring) else { return report() }
    let now = clock.now()
    guard let due = now + EventReceiver.hitDelay else { return report() }
    timer.arm(due, at: now, executor: executor) {
      WakeTimer.Work(
        sleep: clock.sleep,
        onWake: { [weak self] in self?.report() },
        // If the clock fails, each hit is reported at once.
        onFailure: { [weak self] _, _ in self?.report() }
      )
    }
  }

  /// Stops the timer; the hits since the last report are reported by ``reportLastHits()``.
  func stopWaiting() {
    timer.cancel()
  }

  /// Reports the remaining hits of a client that has ended.
  func reportLastHits() {
    isOver.store(true, ordering: .releasing)
    timer.cancel()
    report()
  }

  private func report() {
    let hits = shards.takeHits().map { (key: $0.key, count: $0.uses.takeCount()) }
    guard !hits.isEmpty else { return }
    TaskLocals.none { [receivers] in
      for (key, count) in hits where count > 0 {
        for receiver in receivers { receiver(key, count) }
      }
    }
  }
}
