extension QueryClient {
  /// Counts of the cache's hits and misses since the client was made.
  public nonisolated var lookups: LookupCounts {
    var counts = cache.read { $0.lookups }
    counts.hits += cache.shards?.hits ?? 0
    return counts
  }

  /// What happens in the cache from now on, in the order of transactions.
  ///
  /// Each stream keeps at most 1,024 events; an observer that falls behind misses the oldest and is
  /// told how many by ``QueryEvent/Kind/missed(count:)``.
  public nonisolated var events: AsyncStream<QueryEvent> {
    let needs: @Sendable () -> EventNeeds = { [eventBroadcaster, needs = eventReceivers.needs] in
      eventBroadcaster.hasSubscribers ? .everything : needs
    }
    let subscription = eventBroadcaster.subscribe { [weak self] in
      // Checked under the lock: otherwise a concurrent subscription would be overruled.
      self?.cache.emitsEvents(needs)
    }
    cache.emitsEvents(needs)
    return stream(of: subscription, "events") { $0 }
  }

  /// How many entries are fetching, now and whenever the number changes.
  ///
  /// - Parameter filter: Which entries count.
  /// - Returns: A stream of numbers that keeps only the newest; it skips a number equal to the one
  ///   before.
  public nonisolated func fetchingCounts(_ filter: QueryFilter = .all) -> AsyncStream<Int> {
    let last = LastSeen<Int>()
    return stream(of: fetchNews(), "counts of fetches") { [self] in
      let count = fetchingCount(filter)
      return last.changed(to: count) ? count : nil
    }
  }

  /// Tells that fetches began, paused or ended, once for all that did since it was last asked.
  ///
  /// - Returns: The subscription; `nil` after the client's shutdown.
  nonisolated func fetchNews() -> Broadcaster<NewsFlag<Never>>.Listener? {
    let subscription = counts.subscribe { [weak self, counts] in
      self?.transaction { state, _ in state.countsFetches = counts.hasSubscribers }
    }
    transaction { state, _ in state.countsFetches = counts.hasSubscribers }
    return subscription
  }

  /// Returns a stream of what a subscription brings; it ends at once without a subscription.
  ///
  /// - Parameters:
  ///   - subscription: The subscription, which ends with the stream.
  ///   - subject: What the stream waits for, in words.
  ///   - element: Makes an element of an item; `nil` if there is nothing new to show.
  /// - Returns: A stream for one observer.
  nonisolated func stream<Content: Inbox, Element: Sendable>(
    of subscription: Broadcaster<Content>.Listener?,
    _ subject: String,
    _ element: @escaping @Sendable (Content.Item) -> Element?
  ) -> AsyncStream<Element> {
    guard let subscription else { return AsyncStream { nil } }
    return AsyncStream(
      unfolding: { [weak self] in
        let waits = {
          self?.observerWaits(for: subject, subscription) { subscription.end() } ?? ()
        }
        while let item = await subscription.next(whenSuspended: waits) {
          if let element = element(item) { return element }
        }
        return nil
      },
      onCancel: { subscription.end() }
    )
  }
}
