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
      ObjectIdentifier(known.defaults) == ObjectIdentifier(offer.defaults)
    {
      return HitTerms(known)
    }
    // No variable for the defaults: all threads would count that reference.
    if let terms = HitTerms.of(definition, offer.defaultsTable) { return terms }
    return HitTerms(
      ResolvedQuery(definition, for: offer.key.key, defaults: offer.defaultsTable)
    )
  }
}
