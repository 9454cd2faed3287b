import Synchronization

nonisolated extension QueryClient {
  /// The outcome of a request to begin a run.
  enum Begin {
    case begun(MutationID, Waiter)
    /// The run is not begun, because the caller would wait for itself.
    case closesCircle
    case shutDown
  }

  /// Begins a run.
  func startRun(
    _ mutation: ResolvedMutation,
    with input: ValueBox,
    follower: Int?,
    isAwaited: Bool = true,
    caller: TaskChain? = nil
  ) -> Begin {
    let planned = plannedLayers(of: mutation, input: input)
    openSignals()
    let random = (high: configuration.randomness(), low: configuration.randomness())
    return transaction { state, transaction in
      guard !state.isShutDown else { return .shutDown }
      let run = state.nextRun(in: mutation.scope)
      guard case .granted(let wait) = state.permitWait(of: caller, for: run) else {
        return .closesCircle
      }
      state.releaseFetch(of: TaskChain.current)
      let waiter = Waiter(role: .leasing, wait: wait)
      let id = state.startRun(
        mutation,
        .here(random: random),
        input: input,
        waiter: isAwaited ? waiter : nil,
        layers: planned,
        &transaction
      )
      if let follower { state.follow(follower, id, &transaction) }
      return .begun(id, waiter)
    }
  }

  /// Returns a mutation merged with the client's defaults and callbacks.
  ///
  /// - Parameters:
  ///   - key: The mutation.
  ///   - definition: Its definition.
  ///   - input: The input of the run that is to begin; `nil` if no run is going to begin.
  /// - Returns: The mutation.
  func resolve(
    _ key: EntryKey,
    _ definition: MutationDefinition,
    input: ValueBox?
  ) -> ResolvedMutation {
    let defaults = mutationDefaults.withLock { $0 }
    return ResolvedMutation(
      key,
      definition,
      input: input,
      defaults: defaults,
      hooks: mutationHooks
    )
  }

  /// The layers of a run by key; calls user code, so call it before the transaction.
  func plannedLayers(of mutation: ResolvedMutation, input: ValueBox) -> [LayerPlan] {
    var changes = OptimisticChanges()
    for layers in mutation.definition.layers { layers(input, &changes) }
    guard !changes.layers.isEmpty else { return [] }
    let defaults = self.defaults
    return changes.layers.map {
      LayerPlan(layer: $0, gcTime: defaults.gcTime(for: $0.key.key))
    }
  }

  func snapshots() -> [MutationSnapshot] {
    cache.record { state in
      state.mutations.all.compactMap { id in
        state.mutations.find(id).flatMap { state.mutations.snapshot($0) }
      }
    }
  }

  /// Cancels a run.
  ///
  /// - Returns: Whether the run's own code makes the call, so that it cannot wait for the end of the run.
  @discardableResult
  package func cancel(_ job: MutationJob) -> Bool { cancel(job.id) }

  @discardableResult
  func cancel(_ id: MutationID) -> Bool {
    let tasks = transaction { state, transaction -> TaskChain? in
      let tasks = state.mutations.find(id).flatMap { state.mutations.slots[$0].job?.tasks }
      state.cancel(id, &transaction)
      return tasks
    }
    return tasks != nil && tasks === TaskChain.own
  }

  func mutate<Input, Output>(
    _ mutation: Mutation<Input, Output>,
    with input: Input,
    detached: Bool,
    follower: Int?
  ) async throws -> Output {
    let input = TypedBox(input)
    let mutation = resolve(mutation.identity, mutation.definition, input: input)
    let (id, waiter): (MutationID, Waiter)
    switch startRun(mutation, with: input, follower: follower, caller: TaskChain.own) {
    case .begun(let run, let its): (id, waiter) = (run, its)
    case .closesCircle: throw QueryError.recursiveMutation(key: mutation.key.key.description)
    case .shutDown: throw QueryError.shutDown
    }
    let subject = observed("a run of the mutation \(mutation.key.key)")
    let outlives = detached || mutation.runOptions.isDurable
    let outcome = await waiter.outcome(subject) { if !outlives { self.cancel(id) } }
    switch outcome {
    case .value(let box): return box.value(as: Output.self)
    case .failure(let error): throw error
    case .cancelled, .settled: throw CancellationError()
    }
  }
}
