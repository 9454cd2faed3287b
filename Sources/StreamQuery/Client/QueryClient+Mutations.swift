import Synchronization

nonisolated extension QueryClient {
  /// Runs a mutation and waits until it has ended, including its callbacks.
  ///
  /// Optimistic changes show before the call first suspends. While offline, or while earlier runs
  /// of its scope have not ended, the run is paused and the call keeps waiting.
  ///
  /// The work and the callbacks of a run cannot wait for another run of its scope. No fetch or run can wait
  /// for another that already waits for it, directly or through other fetches, runs, scopes and clients. Such
  /// a call throws at once. In a task that a fetch or run starts, such a call is not refused, because the
  /// task may be meant to outlive the fetch or run. A fetch or run that awaits this task may then wait for
  /// ever.
  ///
  /// Cancelling the caller cancels the run, unless it is detached or durable: the work's task is
  /// cancelled, retries and pauses end at once, and a change that was not made is rolled back. Work
  /// that returns nevertheless counts as done. The caller throws at once, and does not wait for the work.
  ///
  /// ```swift
  /// let user = try await client.mutate(.rename(), with: Rename(id: 42, name: "Ada"))
  /// ```
  ///
  /// - Parameters:
  ///   - mutation: The mutation to run.
  ///   - input: The input of the run.
  ///   - detached: Whether the run outlives its caller: a cancellation of the caller then only ends
  ///     its wait.
  /// - Returns: The output of the work.
  /// - Throws: The work's error, or that of `onMutate`, even if that is a `CancellationError`;
  ///   `CancellationError` if the caller or the run was cancelled or the client was cleared;
  ///   ``QueryError/missingPerform(key:)``; ``QueryError/recursiveMutation(key:)``; ``QueryError/shutDown``;
  ///   ``QueryError/missingOutbox(key:)``, or an error of the outbox, if the mutation is durable.
  @discardableResult
  public nonisolated func mutate<Input, Output>(
    _ mutation: Mutation<Input, Output>,
    with input: Input,
    detached: Bool = false
  ) async throws -> Output {
    // A run does not begin for a caller that is already cancelled.
    if !detached { try Task.checkCancellation() }
    return try await mutate(mutation, with: input, detached: detached, follower: nil)
  }

  /// Runs a mutation without input and waits until it has ended.
  ///
  /// - Parameters:
  ///   - mutation: The mutation to run.
  ///   - detached: Whether the run outlives its caller.
  /// - Returns: The output of the work.
  /// - Throws: The errors of ``mutate(_:with:detached:)``.
  @discardableResult
  public nonisolated func mutate<Output>(
    _ mutation: Mutation<Void, Output>,
    detached: Bool = false
  ) async throws -> Output {
    try await mutate(mutation, with: (), detached: detached)
  }

  /// Cancels runs; changes that were not made are rolled back.
  ///
  /// The work's task is cancelled; retries and pauses end at once. Work that returns nevertheless
  /// counts as done. Callers that wait throw `CancellationError` when the run has ended.
  ///
  /// - Parameter filter: Selects the runs; runs whose outcome is decided continue to their end.
  public nonisolated func cancelMutations(_ filter: MutationFilter = .all) {
    let ids = mutations(filter && .pending).map(\.snapshot.id)
    guard !ids.isEmpty else { return }
    transaction { state, transaction in
      for id in ids { state.cancel(id, &transaction) }
    }
  }

  /// Resumes paused mutations and waits until they have ended.
  ///
  /// Runs resume by themselves when network and app allow it. Only imported runs of an archive that were not
  /// resumed wait for this call, or for the network or the app to come back. While offline nothing happens
  /// and the call returns at once. Cancelling the caller ends its wait, and the runs continue. If a fetch, or
  /// the work or a callback of a run, makes the call, it does not wait for runs that wait for it, such as
  /// later runs of the scope. The call waits neither for runs that have stopped until there is a decision
  /// about an error, nor for runs that a store fails to keep.
  ///
  /// ```swift
  /// client.import(archive, for: [.mutation(.rename())], resuming: false)
  /// // When the user has signed in again:
  /// await client.resumeMutations()
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of runs that are kept.
  public nonisolated func resumeMutations() async {
    let caller = TaskChain.own
    let waiters = transaction { $0.resumePaused(for: caller, &$1) }
    let subject = observed("runs of mutations that were paused")
    for waiter in waiters { _ = await waiter.outcome(subject) {} }
  }

  /// Registers defaults for every mutation whose key starts with a prefix.
  ///
  /// If several prefixes match, their options are merged in the order of registration; later ones
  /// win. Registering a prefix again replaces its defaults and keeps its rank.
  ///
  /// The client keeps the work for as long as it lives. Use ``MutationContext/client`` in it: the
  /// closure would keep a captured client alive for ever.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - prefix: The prefix.
  ///   - perform: The work of mutations that have none; gets the input. It must return a value of
  ///     the mutation's output type; another type is
  ///     ``QueryError/unexpectedType(key:expected:actual:)``.
  public nonisolated func setMutationDefaults(
    _ options: MutationOptions = .default,
    for prefix: AnyQueryKey,
    perform: (@Sendable (any Sendable, MutationContext) async throws -> any Sendable)? = nil
  ) {
    let entry = MutationDefaultsTable.Prefix(key: prefix, options: options, perform: perform)
    replaceMutationDefaults { $0.adding(entry) }
    if perform != nil { durableRuns?.workChanged() }
  }

  /// Returns the merged mutation defaults of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The options.
  public nonisolated func mutationDefaults(for key: AnyQueryKey) -> MutationOptions {
    mutationDefaults.withLock { $0 }.options(for: key)
  }

  /// Returns the runs of mutations, in the order in which they were started.
  ///
  /// - Parameter filter: Selects the runs.
  /// - Returns: A snapshot of each.
  /// - Complexity: O(*n*) in the number of runs that are kept.
  public nonisolated func mutations(_ filter: MutationFilter = .all) -> [MutationInfo] {
    snapshots().map(MutationInfo.init).filter(filter.matches)
  }
}
