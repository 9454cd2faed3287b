extension QueryClient {
  /// Follows a mutation: its newest run now, and every change of it or newer run.
  ///
  /// The stream follows from this call until its task is cancelled or its last reference is dropped,
  /// and the run that it shows is kept meanwhile. A slow consumer gets the newest state and may miss
  /// those between. Without any run it shows ``MutationRun/idle``.
  ///
  /// ```swift
  /// for await run in client.runs(of: .rename()) { show(run.isPending) }
  /// ```
  ///
  /// - Parameter mutation: Whose runs; its key and types matter, not its work.
  /// - Returns: A stream for one consumer; it ends when cancelled or when the client is shut down.
  public nonisolated func runs<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> AsyncStream<MutationRun<Input, Output>> {
    MutationFollowing(client: self, identity: mutation.identity).stream()
  }

  /// The newest run of a mutation, for a first frame.
  ///
  /// - Parameter mutation: Whose run.
  /// - Returns: The run; ``MutationRun/idle`` if there is none.
  public nonisolated func run<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> MutationRun<Input, Output> {
    let identity = mutation.identity
    let frame = cache.read { state in
      state.mutations.runs[identity]?.last
        .flatMap { state.mutations.find($0) }
        .flatMap { state.mutations.glimpse($0) }
    }
    return MutationRun(frame: frame)
  }

  /// The runs of mutations, in the order of their start.
  ///
  /// - Parameter filter: Which runs.
  /// - Returns: A snapshot of each.
  /// - Complexity: O(*n*) in the number of runs that are kept.
  public nonisolated func mutations(_ filter: MutationFilter = .all) -> [MutationInfo] {
    frames().map(MutationInfo.init).filter(filter.matches)
  }

  /// The runs of mutations under a filter, now and whenever one of them changes, comes or goes.
  ///
  /// A filter that names a mutation, a key or a prefix is not woken by the steps of other runs; any
  /// other one looks at every step of every run.
  ///
  /// - Parameter filter: Which runs.
  /// - Returns: A stream of lists in the order of start, the newest winning.
  public nonisolated func runs(matching filter: MutationFilter) -> AsyncStream<[MutationInfo]> {
    let seen = LastSeen<[UInt64]>()
    return mutationNews(about: filter.topics) { client in
      let runs = client.mutations(filter)
      return seen.changed(to: runs.map(\.frame.version)) ? runs : nil
    }
  }

  /// How many runs are not over, paused ones included.
  ///
  /// - Parameter filter: Which runs count.
  /// - Returns: Their number.
  public nonisolated func mutatingCount(_ filter: MutationFilter = .all) -> Int {
    if filter.isAll { return cache.read { $0.mutations.pendingCount } }
    return mutations(filter && .pending).count
  }

  /// How many runs are not over, now and whenever it changes.
  ///
  /// - Parameter filter: Which runs count.
  /// - Returns: A stream of numbers, the newest winning; equal neighbours are left out.
  public nonisolated func mutatingCounts(_ filter: MutationFilter = .all) -> AsyncStream<Int> {
    let seen = LastSeen<Int>()
    return mutationNews(about: filter.topics) { client in
      let count = client.mutatingCount(filter)
      return seen.changed(to: count) ? count : nil
    }
  }

  private nonisolated func frames() -> [MutationFrame] {
    cache.record { state in
      state.mutations.all.compactMap { id in
        state.mutations.find(id).flatMap { state.mutations.frame($0) }
      }
    }
  }

  /// A stream of what is new each time when some run changed.
  ///
  /// - Parameters:
  ///   - topics: Which runs, if not all.
  ///   - look: Says what is new; `nil` is nothing.
  /// - Returns: A stream for one consumer.
  nonisolated func mutationNews<Element: Sendable>(
    about topics: [MutationTopic]?,
    _ look: @escaping @Sendable (QueryClient) -> Element?
  ) -> AsyncStream<Element> {
    let hub = mutationNews
    guard let id = hub.subscribe(to: topics) else { return AsyncStream { nil } }
    let subscription = HubSubscription { hub.unsubscribe(id) }
    return AsyncStream(
      unfolding: { [subscription, self] in
        let waits = {
          self.consumerWaits(for: "news of mutations", subscription) { subscription.end() }
        }
        while await hub.next(id, whenParked: waits) != nil {
          if let element = look(self) { return element }
        }
        return nil
      },
      onCancel: { subscription.end() }
    )
  }
}
