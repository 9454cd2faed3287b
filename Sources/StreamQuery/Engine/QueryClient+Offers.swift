import Synchronization

// What callers of a server's client find without the cache's lock: see `ReadShards`.
extension QueryClient {
  /// The data of an entry, if it is what the cache itself would answer and nothing else would come of
  /// it.
  ///
  /// - Parameters:
  ///   - key: The entry.
  ///   - definition: The query.
  ///   - need: Which data the caller accepts.
  ///   - shards: The offers.
  /// - Returns: The data; `nil` if the cache has to be asked.
  @inline(never)
  nonisolated func offered(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ need: FetchNeed,
    _ shards: ReadShards
  ) -> ValueBox? {
    // Who wants each lookup is told in the order of transactions.
    guard need != .always, !cache.isHeard, let offer = shards.offer(of: key) else { return nil }
    let now = shards.time(cache.clock.now())
    // What is stale for the query that the entry has is so for most: they need not be resolved here.
    if let known = offer.query?.resolved, known.canFetch,
      offer.isStale(known.fixedFreshness, at: now)
    {
      return nil
    }
    guard let terms = terms(of: offer, definition), !offer.isStale(terms.freshness, at: now),
      // Otherwise the cache has to refetch it.
      !offer.isRefreshDue(terms.refreshAhead, terms.freshness, at: now),
      // Otherwise the cache has to keep it for longer.
      terms.gcTime <= offer.query?.gcTime ?? .zero
    else { return nil }
    if shards.noteUse(of: offer, isLookup: true) {
      hitReports?.hitsCame(cache.clock, executor: configuration.executor)
    }
    return offer.data
  }

  /// The terms of the query under the defaults of the offer.
  ///
  /// If the query is kept, the entry has this very one; if it is made at each call, it is not resolved
  /// for that.
  private nonisolated func terms(of offer: EntryOffer, _ definition: QueryDefinition) -> HitTerms? {
    if let known = offer.query?.resolved, known.isMade(of: definition),
      // Only compared: all threads would count a reference to the defaults.
      ObjectIdentifier(known.storedDefaults) == ObjectIdentifier(offer.defaults)
    {
      return HitTerms(known)
    }
    // No variable for the defaults: all threads would count that reference.
    if let terms = HitTerms.of(definition, offer.defaults.table) { return terms }
    return HitTerms(
      ResolvedQuery(definition, for: offer.key.key, defaults: offer.defaults.table)
    )
  }
}

/// Tells receivers how many hits took no lock.
///
/// The first hit after a report asks for the next one, so that a client whose entries nobody hits has
/// no timer for it. See ``EventReceiver``.
final class HitReports: Sendable {
  private let shards: ReadShards
  private let receivers: [@Sendable (_ key: AnyQueryKey, _ count: Int) -> Void]
  private let timer = WakeTimer()
  private let isOver = Atomic(false)

  /// Creates reports; `nil` if nobody receives them, or no hit passes the lock.
  init?(_ configuration: QueryClient.Configuration, _ shards: ReadShards?) {
    receivers = configuration.eventReceivers.compactMap(\.hits)
    guard let shards, !receivers.isEmpty else { return nil }
    self.shards = shards
  }

  /// There are hits that nobody was told of.
  func hitsCame(_ clock: ErasedClock, executor: (any TaskExecutor)?) {
    // Of a reader that was given data as the client ended.
    guard !isOver.load(ordering: .acquiring) else { return tell() }
    let now = clock.now()
    guard let due = now + EventReceiver.hitDelay else { return tell() }
    timer.arm(due, at: now, executor: executor) {
      WakeTimer.Work(
        sleep: clock.sleep,
        onWake: { [weak self] in self?.tell() },
        // Without a clock, hits are told as they come.
        onFailure: { [weak self] _, _ in self?.tell() }
      )
    }
  }

  /// No time passes any more: what nobody was told of is told as the client ends.
  func stopWaiting() {
    timer.cancel()
  }

  /// The client has ended: what nobody was told of is told now.
  func end() {
    isOver.store(true, ordering: .releasing)
    timer.cancel()
    tell()
  }

  private func tell() {
    let hits = shards.takeHits().map { (key: $0.key, count: $0.uses.take()) }
    guard !hits.isEmpty else { return }
    TaskLocals.none { [receivers] in
      for (key, count) in hits where count > 0 {
        for receiver in receivers { receiver(key, count) }
      }
    }
  }
}
