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
    // `EventRing` holds the events of each stream, and drops the oldest.
    let subscription = eventBroadcaster.subscribe { [weak self] in
      // This is checked under the lock, so that it does not overrule a subscription that begins at
      // the same time.
      self?.cache.emitsEvents(needs)
    }
    cache.emitsEvents(needs)
    return stream(of: subscription, "events") { $0 }
  }

  /// The number of entries that are fetching, now and whenever it changes.
  ///
  /// - Parameter filter: Selects the entries to count.
  /// - Returns: A stream of numbers that keeps only the newest; it omits a number that equals the
  ///   one before. After a shutdown of the client, it delivers zero before it ends.
  public nonisolated func fetchingCountStream(_ filter: QueryFilter = .all) -> AsyncStream<Int> {
    let last = LastSeen<Int>()
    return stream(of: fetchNews(), "counts of fetches") { [self] in
      let count = fetchingCount(filter)
      return last.changed(to: count) ? count : nil
    }
  }

  // MARK: The record

  /// The record of what has happened so far, as far as the configuration keeps it.
  ///
  /// It is a value: it does not change with the client. Without ``Configuration/record`` it is empty.
  ///
  /// ```swift
  /// try client.record.write(to: url)
  /// ```
  ///
  /// Keys and errors are described by their own code, which is called outside of locks.
  ///
  /// After ``shutDown()`` it can still be read. It then has the texts of errors, and does not keep the errors and
  /// the objects to which they refer.
  ///
  /// - Complexity: O(*n*) in the number of events and of cached entries. The cache is locked while the events and
  ///   keys are copied.
  public nonisolated var record: QueryRecord { recordSoFar }

  /// The record so far, and then what is new, whenever something happens.
  ///
  /// The first element is the whole ``record``. Each later one has the events since the element before, the
  /// keys, runs and errors that the reader does not know yet, and the options of these events. The stream
  /// keeps nothing for its reader: a slow one gets many events at once. If more events happen between two
  /// reads than the record keeps, the reader misses the oldest. Then the element has the number of missed
  /// events as its ``QueryRecord/lostCount``, and is a whole record again.
  ///
  /// The text of a value comes once it is written: perhaps in a later element than the event of the value.
  ///
  /// The stream does not retain the client. It ends when the client is shut down or freed. Without
  /// ``Configuration/record`` it has one element, which is empty, and then waits for that end.
  ///
  /// ```swift
  /// var events: [QueryRecord.Event] = []
  /// for await part in client.recordUpdates {
  ///   if part.lostCount > 0 { events = [] }
  ///   events += part.events
  /// }
  /// ```
  public nonisolated var recordUpdates: AsyncStream<QueryRecord> { recordStream() }

  /// Returns the entry of a key of the record.
  ///
  /// - Parameter number: The number of the key.
  /// - Returns: The entry as it is now; `nil` if it is gone.
  /// - Complexity: O(*n*) in the number of entries.
  @_spi(Adapters) public nonisolated func info(ofKey number: Int) -> QueryInfo? {
    transaction(isDated: false) { $0.info(ofKey: number, $1) }
  }
}
