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
    // Who listens is told of each lookup, in the order of transactions.
    guard need != .always, !cache.emitsEvents, let offer = shards.offer(of: key),
      let query = query(of: offer, definition), !query.isPersisted,
      let options = query.fixedOptions, offer.keepsPromises(of: query.serving),
      !offer.isStale(options.freshness, at: shards.time(cache.clock.now()))
    else { return nil }
    shards.noteUse(of: offer, isLookup: true)
    return offer.data
  }

  /// The query under the defaults of the offer: usually the entry has this very one.
  private nonisolated func query(
    of offer: EntryOffer,
    _ definition: QueryDefinition
  ) -> ResolvedQuery? {
    if let known = offer.query?.resolved, known.isMade(of: definition),
      // Only compared: all threads would count a reference to the defaults.
      ObjectIdentifier(known.defaults) == ObjectIdentifier(offer.defaults)
    {
      return known
    }
    // The client puts nothing else there. Checked in debug builds by `unsafeDowncast` itself.
    let defaults = unsafeDowncast(offer.defaults, to: DefaultsTable.self)
    return ResolvedQuery(definition, for: offer.key.key, defaults: defaults)
  }
}
