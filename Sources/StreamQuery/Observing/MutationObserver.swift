import Synchronization

/// A handle on a mutation: runs it, shows the progress of the run, and can be reset.
///
/// Unlike ``QueryClient/runs(of:)``, which shows the newest run of any caller, a handle shows only runs that
/// were started through it.
///
/// ```swift
/// let save = client.observer(of: .rename())
/// save.start(with: Rename(id: 42, name: "Ada"))
/// for await run in save.runs { show(run) }
/// ```
public final class MutationObserver<Input: Sendable, Output: Sendable>: Sendable {
  /// The mutation that the handle runs.
  public var mutation: Mutation<Input, Output> { present.withLock { $0 } }

  private let present: Mutex<Mutation<Input, Output>>
  private let following: MutationFollowing
  /// Whether a call of ``retry()`` is under way.
  private let isRetrying = Atomic(false)

  init(client: QueryClient, mutation: Mutation<Input, Output>) {
    present = Mutex(mutation)
    following = MutationFollowing(client: client, identity: nil)
  }

  /// The run that is shown now; ``MutationRun/idle`` before the first run, and after ``reset()``.
  public var run: MutationRun<Input, Output> { MutationRun(snapshot: following.snapshot) }

  /// The run that is shown, now and after each change.
  ///
  /// Each stream is for one observer, and cancelling one ends only that stream. The run is kept
  /// until the handle and all its streams are released.
  public var runs: AsyncStream<MutationRun<Input, Output>> {
    let seen = LastSeen<UInt64>()
    return following.client.mutationNews(about: [.handle(following.follower)]) { [following] _ in
      let snapshot = following.snapshot
      // The version 0 stands for no run.
      return seen.changed(to: snapshot?.version ?? 0) ? MutationRun(snapshot: snapshot) : nil
    }
  }

  /// Replaces the mutation.
  ///
  /// With a different key, the handle shows ``MutationRun/idle`` again. With an equal key, a shown
  /// run that has not ended takes over the new mutation's work for later attempts, its callbacks,
  /// and its retention if that is longer. The run's retries, timeout, network mode and scope stay as
  /// they were at its start.
  ///
  /// - Parameter mutation: The mutation. A mutation without a key counts as equal to any other.
  public func update(mutation: Mutation<Input, Output>) {
    let old = present.withLock { present in
      let old = present
      present = mutation
      return old
    }
    let keys = [old.key, mutation.key]
    guard keys[0] == keys[1] || keys.contains([]) else { return reset() }
    let client = following.client
    let resolved = client.resolve(mutation.identity, mutation.definition, input: nil)
    client.transaction { [follower = following.follower] state, transaction in
      guard let start = state.pendingMutation(of: follower)?.resolved else { return }
      state.replaceMutation(of: follower, by: resolved.takingOver(start), &transaction)
    }
  }

  /// Runs the mutation and waits for its end.
  ///
  /// An earlier run is no longer shown, but continues.
  ///
  /// - Parameters:
  ///   - input: The input of the run.
  ///   - detached: Whether the run outlives its caller.
  /// - Returns: The output of the work.
  /// - Throws: The errors of ``QueryClient/mutate(_:with:detached:)``.
  @discardableResult
  public func mutate(_ input: Input, detached: Bool = false) async throws -> Output {
    if !detached { try Task.checkCancellation() }
    return try await following.client.mutate(
      mutation,
      with: input,
      detached: detached,
      follower: following.follower
    )
  }

  /// Runs the mutation without waiting; ``run`` and ``runs`` show the progress.
  ///
  /// - Parameter input: The input of the run.
  public func start(with input: Input) { _ = begin(with: input) }

  /// Runs the mutation without waiting, as ``start(with:)`` does: for adapters.
  ///
  /// - Parameter input: The input of the run.
  /// - Returns: Whether a run began; `false` if the client is shut down.
  @_spi(Adapters) public func begin(with input: Input) -> Bool {
    if case .begun = startRun(input) { true } else { false }
  }

  /// Runs the mutation again with the input of the shown run if that run has failed; does not wait.
  ///
  /// This starts another run of the present ``mutation``, with callbacks, optimistic changes and an
  /// idempotency key of its own. While the new run has not ended, another call does nothing, so two taps on a
  /// button send the input once.
  ///
  /// - Returns: Whether a run began. `false` if there is no run, if the run has not failed, and if the
  ///   client is shut down.
  @discardableResult
  public func retry() -> Bool {
    // Without this flag, a call on another thread could see the same failed run and start it again, too.
    guard !isRetrying.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    defer { isRetrying.store(false, ordering: .releasing) }
    let run = run
    guard run.isError, let input = run.input else { return false }
    return begin(with: input)
  }

  /// Whether the client is shut down, so that no run can begin: for adapters.
  @_spi(Adapters) public var isOver: Bool { following.client.isOver }

  private func startRun(_ input: Input) -> QueryClient.Begin {
    let client = following.client
    let mutation = mutation
    let input = TypedBox(input)
    let resolved = client.resolve(mutation.identity, mutation.definition, input: input)
    return client.startRun(resolved, with: input, follower: following.follower, isAwaited: false)
  }

  /// Cancels the run that is shown, if it has not ended.
  public func cancel() {
    guard let snapshot = following.snapshot else { return }
    following.client.cancel(snapshot.id)
  }

  /// Shows ``MutationRun/idle`` again; the run itself continues.
  public func reset() {
    following.follow(nil)
  }
}

nonisolated extension QueryClient {
  /// Creates a handle that runs a mutation and shows the progress.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The handle.
  public nonisolated func observer<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> MutationObserver<Input, Output> {
    MutationObserver(client: self, mutation: mutation)
  }
}
