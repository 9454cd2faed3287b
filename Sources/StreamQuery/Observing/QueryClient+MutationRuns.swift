nonisolated extension QueryClient {
  /// Follows a mutation: emits its newest run now, each change of it, and each newer run.
  ///
  /// The stream follows from this call until its task is cancelled or its last reference is dropped;
  /// meanwhile the run that it shows is kept. A slow observer gets the newest state and may miss the states
  /// in between. A cancelled run is forgotten: the stream shows the run before it again. If there is no run,
  /// the stream shows ``MutationRun/idle``.
  ///
  /// ```swift
  /// for await run in client.runs(of: .rename()) { show(run.isPending) }
  /// ```
  ///
  /// - Parameter mutation: The mutation to follow; its key and types matter, not its work.
  /// - Returns: A stream for one observer; it ends when cancelled or when the client is shut down, and then
  ///   shows ``MutationRun/idle`` before it ends.
  public nonisolated func runs<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> AsyncStream<MutationRun<Input, Output>> {
    MutationFollowing(client: self, identity: mutation.identity).stream()
  }

  /// Returns the newest run of a mutation, to show before the first element of a stream.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The run; ``MutationRun/idle`` if there is none.
  public nonisolated func run<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> MutationRun<Input, Output> {
    let identity = mutation.identity
    let snapshot = cache.read { state in
      state.mutations.runs[identity]?.last
        .flatMap { state.mutations.find($0) }
        .flatMap { state.mutations.currentSnapshot($0) }
    }
    return MutationRun(snapshot: snapshot)
  }

  /// Emits the selected runs of mutations, now and whenever a run changes, comes or goes.
  ///
  /// A stream whose filter names a mutation, a key or a prefix is not woken by the steps of other
  /// runs; with any other filter it checks every step of every run.
  ///
  /// - Parameter filter: Selects the runs.
  /// - Returns: A stream of lists in the order in which the runs were started; the newest list
  ///   wins. After a shutdown of the client, it delivers an empty list before it ends.
  public nonisolated func runs(matching filter: MutationFilter) -> AsyncStream<[MutationInfo]> {
    let seen = LastSeen<[UInt64]>()
    return mutationNews(about: filter.topics) { client in
      let runs = client.mutations(filter)
      return seen.changed(to: runs.map(\.snapshot.version)) ? runs : nil
    }
  }

  /// Returns the number of runs that have not ended, including paused ones.
  ///
  /// - Parameter filter: Selects the runs to count.
  /// - Returns: The number of runs.
  public nonisolated func mutatingCount(_ filter: MutationFilter = .all) -> Int {
    if filter.isAll { return cache.read { $0.mutations.pendingCount } }
    return mutations(filter && .pending).count
  }

  /// Emits the number of runs that have not ended, now and whenever it changes.
  ///
  /// - Parameter filter: Selects the runs to count.
  /// - Returns: A stream of numbers; the newest wins, and equal neighbours are omitted. A shutdown of the
  ///   client ends all runs, and then the stream.
  public nonisolated func mutatingCountStream(_ filter: MutationFilter = .all) -> AsyncStream<Int> {
    let seen = LastSeen<Int>()
    return mutationNews(about: filter.topics) { client in
      let count = client.mutatingCount(filter)
      return seen.changed(to: count) ? count : nil
    }
  }

  /// Returns a stream that emits a new element when a run has changed.
  ///
  /// - Parameters:
  ///   - topics: The topics of the runs; `nil` means all.
  ///   - look: Returns the new element; `nil` if nothing that the stream shows has changed.
  /// - Returns: A stream for one observer.
  func mutationNews<Element: Sendable>(
    about topics: [MutationTopic]?,
    _ look: @escaping @Sendable (QueryClient) -> Element?
  ) -> AsyncStream<Element> {
    stream(of: mutationNews.subscribe(to: topics), "news of mutations") { [self] in look(self) }
  }
}
