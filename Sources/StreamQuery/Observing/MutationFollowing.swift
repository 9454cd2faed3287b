import Synchronization

/// The subscription of one follower to the cache, held by a stream of runs or a handle.
///
/// The cache counts the follower, and keeps the run that it shows, from the creation of this object until
/// ``cancel()`` or the release of the object.
final class MutationFollowing: Sendable {
  let client: QueryClient
  /// The handle's number; 0 means no handle.
  let follower: Int
  /// The mutation whose newest run is followed; `nil` to follow only a given run.
  private let identity: EntryKey?
  private let news: Broadcaster<NewsFlag<MutationTopic>>.Listener?
  private let seen = LastSeen<UInt64>()
  private let isEnded = Atomic(false)

  /// - Parameters:
  ///   - client: The client.
  ///   - identity: The mutation whose newest run is followed. `nil` to follow only a given run; the
  ///     streams then subscribe for themselves.
  init(client: QueryClient, identity: EntryKey?) {
    self.client = client
    news = identity.flatMap { client.mutationNews.subscribe(to: [.mutation($0)]) }
    // The follower is made after the subscription to news, so that changes in between count as news.
    let (isCounted, follower) = client.transaction { state, _ in
      guard !state.isShutDown else { return (false, 0) }
      guard let identity else { return (true, state.makeFollower()) }
      state.streamBegan(of: identity)
      return (true, 0)
    }
    self.identity = isCounted ? identity : nil
    self.follower = follower
  }

  deinit {
    endOnce()
  }

  /// Ends the subscription; a second call does nothing.
  func cancel() {
    holding(self) { endOnce() }
  }

  private func endOnce() {
    guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    news?.end()
    client.transaction { state, transaction in
      if let identity { return state.streamEnded(of: identity, &transaction) }
      state.removeFollower(follower, &transaction)
    }
  }

  /// The run that is followed at present.
  var snapshot: MutationSnapshot? {
    client.cache.record { state in
      let followed = identity.map { state.mutations.runs[$0]?.last }
      return (followed ?? state.mutations.followers[follower]?.run)
        .flatMap { state.mutations.find($0) }
        .flatMap { state.mutations.snapshot($0) }
        ?? state.mutations.followers[follower]?.kept
    }
  }

  /// Follows another run, or no run.
  func follow(_ run: MutationID?) {
    client.transaction { state, transaction in state.follow(follower, run, &transaction) }
  }

  /// Waits for the newest unseen snapshot; `.some(nil)` while there is no run, and `nil` at the end.
  func next() async -> MutationSnapshot?? {
    guard let news else { return nil }
    let waits = { self.client.observerWaits(for: "news of a mutation", self) { self.cancel() } }
    while await news.next(whenSuspended: waits) != nil {
      let snapshot = snapshot
      // The version 0 stands for no run.
      if seen.changed(to: snapshot?.version ?? 0) { return .some(snapshot) }
    }
    return nil
  }

  func stream<Input, Output>() -> AsyncStream<MutationRun<Input, Output>> {
    AsyncStream(
      unfolding: { await self.next().map(MutationRun.init) },
      onCancel: { self.cancel() }
    )
  }
}
