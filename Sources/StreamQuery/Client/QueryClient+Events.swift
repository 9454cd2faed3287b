extension QueryClient {
  /// Counts of the cache's hits and misses since the client was made.
  public nonisolated var lookups: LookupCounts { cache.read { $0.lookups } }

  /// What happens in the cache from now on, in the order of transactions.
  ///
  /// Each stream keeps at most 1,024 events; an observer that falls behind misses the oldest and is
  /// told how many by ``QueryEvent/Kind/missed(count:)``.
  public nonisolated var events: AsyncStream<QueryEvent> {
    let broadcaster = eventBroadcaster
    guard let id = broadcaster.subscribe() else { return AsyncStream { nil } }
    cache.emitsEvents { true }
    let subscription = BroadcasterSubscription { [weak self] in
      broadcaster.unsubscribe(id)
      guard let self else { return }
      let isAlwaysNeeded = self.configuration.onEvent != nil
      // Checked under the lock: otherwise a concurrent subscription would be overruled.
      self.cache.emitsEvents { isAlwaysNeeded || broadcaster.hasSubscribers }
    }
    return AsyncStream(
      unfolding: { [weak self, subscription] in
        await broadcaster.next(id) {
          self?.observerWaits(for: "events", subscription) { subscription.end() }
        }
      },
      onCancel: { subscription.end() }
    )
  }

  /// How many entries are fetching, now and whenever the number changes.
  ///
  /// - Parameter filter: Which entries count.
  /// - Returns: A stream of numbers that keeps only the newest; it skips a number equal to the one
  ///   before.
  public nonisolated func fetchingCounts(_ filter: QueryFilter = .all) -> AsyncStream<Int> {
    let broadcaster = counts
    guard let id = broadcaster.subscribe() else { return AsyncStream { nil } }
    transaction { state, _ in state.countsFetches = true }
    let subscription = BroadcasterSubscription { [weak self] in
      broadcaster.unsubscribe(id)
      guard let self else { return }
      self.transaction { state, _ in state.countsFetches = broadcaster.hasSubscribers }
    }
    let last = LastSeen<Int>()
    return AsyncStream(
      unfolding: { [subscription, self] in
        let waits = {
          self.observerWaits(for: "counts of fetches", subscription) { subscription.end() }
        }
        while await broadcaster.next(id, whenSuspended: waits) != nil {
          let count = self.fetchingCount(filter)
          if last.changed(to: count) { return count }
        }
        return nil
      },
      onCancel: { subscription.end() }
    )
  }
}
