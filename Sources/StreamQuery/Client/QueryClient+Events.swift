nonisolated extension QueryClient {
  /// Counts of the cache's hits and misses since the client was made.
  public nonisolated var lookups: LookupCounts {
    var counts = cache.read { $0.reports.lookups }
    counts.hits += cache.shards?.hits ?? 0
    return counts
  }

  /// The events of the cache from now on, in the order of transactions.
  ///
  /// Each stream keeps at most 1,024 events; an observer that falls behind misses the oldest, and
  /// gets their number as ``QueryEvent/Kind/eventsDropped(count:)``.
  public nonisolated var events: AsyncStream<QueryEvent> {
    let needs: @Sendable () -> EventNeeds = { [eventBroadcaster, needs = eventReceivers.needs] in
      eventBroadcaster.hasSubscribers ? .everyLookup : needs
    }
    let subscription = eventBroadcaster.subscribe { [weak self] in
      // Checked under the lock, so that a concurrent subscription is not overruled.
      self?.cache.emitsEvents(needs)
    }
    cache.emitsEvents(needs)
    return stream(of: subscription, "events") { $0 }
  }

  /// The number of entries that are fetching, now and whenever it changes.
  ///
  /// - Parameter filter: Selects the entries to count.
  /// - Returns: A stream of numbers that keeps only the newest; it omits a number that equals the
  ///   one before.
  public nonisolated func fetchingCountStream(_ filter: QueryFilter = .all) -> AsyncStream<Int> {
    let last = LastSeen<Int>()
    return stream(of: fetchNews(), "counts of fetches") { [self] in
      let count = fetchingCount(filter)
      return last.changed(to: count) ? count : nil
    }
  }
}
