extension QueryClient {
  /// Connects a stream of triggers: each element invalidates or refetches.
  ///
  /// An element is taken when the previous one has been handled: nothing piles up in the client.
  ///
  /// - Parameter triggers: The stream. After it ends or fails, it triggers nothing more.
  /// - Returns: A handle; keep it for as long as the stream should feed the client.
  public nonisolated func connect<Triggers: AsyncSequence>(
    triggers: sending Triggers
  ) -> TriggerConnection where Triggers.Element == Trigger {
    openSignals()
    let port = signals
    // Handed over: nothing else retains the sequence, and this one task takes it once. Detached,
    // like all work that no caller waits for.
    let sendOnce = SendOnce(triggers)
    let task = Task.detached(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        guard let triggers = sendOnce.take() else { return }
        await port.forward(triggers) { .trigger($0) }
      }
    }
    return TriggerConnection(task: task, shutdownHandlers: shutdownHandlers)
  }

  /// Feeds each element of a query's own trigger stream into the loop.
  nonisolated func forward(
    _ make: @escaping @Sendable () -> any AsyncSequence,
    into key: EntryKey
  ) -> Task<Void, Never> {
    openSignals()
    let port = signals
    return Task.detached(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        do {
          try await Self.forEach(of: make()) { port.send(.query(key)) }
        } catch {
          // A failed source triggers nothing more; its owner knows about the failure.
        }
      }
    }
  }

  private static func forEach<Source: AsyncSequence>(
    of source: Source,
    _ body: @Sendable () -> Void
  ) async throws {
    for try await _ in source {
      guard !Task.isCancelled else { return }
      body()
    }
  }

  // MARK: The loop

  /// Starts the sources that can change; a constant one is only read.
  nonisolated func startEnvironment() {
    let connectivity = configuration.connectivity
    let activity = configuration.activity
    let isOnline = connectivity.initial
    let isActive = activity.initial
    transaction { state, _ in
      state.isOnline = isOnline
      state.isActive = isActive
    }
    if !connectivity.isConstant { watch(connectivity.states()) { .online($0) } }
    if !activity.isConstant { watch(activity.states()) { .active($0) } }
    if let forward = configuration.memoryPressure.forward { watch(forward) }
  }

  private nonisolated func watch<States: AsyncSequence<Bool, Never> & Sendable>(
    _ states: States,
    _ signal: @escaping @Sendable (Bool) -> Signal
  ) {
    watch { await $0.forward(states, signal) }
  }

  private nonisolated func watch(_ forward: @escaping @Sendable (SignalPort) async -> Void) {
    openSignals()
    let port = signals
    let task = Task.detached(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) { await forward(port) }
    }
    sources.append(task)
  }

  /// Starts, once, the loop that handles all asynchronous causes.
  nonisolated func openSignals() {
    guard signals.open() else { return }
    // Weak: the loop must not keep an unused client alive. Detached, like everything that lasts as
    // long as the client: it must not keep the first caller's priority and task-locals for ever.
    let task = Task.detached(executorPreference: configuration.executor) { [weak self, signals] in
      while let delivery = await signals.next() {
        self?.handle(delivery.signal)
        delivery.receipt?.give(())
      }
    }
    sources.append(task)
  }

  /// Handles one signal after the other, as their only observer.
  ///
  /// Not isolated to the client, because it runs predicates and options, which are user code.
  private nonisolated func handle(_ signal: Signal) {
    switch signal {
    case .time: timeReached()
    case .online(let isOnline):
      returning { $0.environmentReported(isOnline: isOnline, random: $2, &$1) }
      if !isOnline, let trust = configuration.connectivity.trust { doubtOffline(after: trust) }
    case .active(let isActive):
      if isActive {
        persisters.persister?.readAgain()
        keeper?.readAgain()
      } else {
        persisters.persister?.hurry()
      }
      returning { $0.environmentReported(isActive: isActive, random: $2, &$1) }
    case .pressure(let level): relieve(level)
    case .query(let key):
      if let entry = transaction({ $0.triggered(key, &$1) }) {
        refetch(onceRestored: [entry], .trigger, nil)
      }
    case .trigger(let trigger): start(trigger)
    }
  }

  /// Does the refetches of reconnects and activations that had to wait for mutations.
  nonisolated func sweep(_ causes: [FetchCause]) {
    for cause in causes { returning { $0.sweep(cause, random: $2, &$1) } }
  }

  /// Evaluates the conditions that a return asks about, and does what is spread over time.
  private nonisolated func returning(
    _ body: (inout CacheState, inout Transaction, _ random: UInt64) -> [RefetchCondition.Asking]
  ) {
    guard configuration.spreadsReturns else { return conditions { body(&$0, &$1, 0) } }
    let random = nextRandom()
    let before = cache.read { $0.returns.number }
    conditions { body(&$0, &$1, random) }
    let number = cache.read { $0.returns.number }
    guard number != before else { return }
    // Detached: it serves the client. Weak: it must not keep an unused client alive.
    _ = Task.detached(executorPreference: configuration.executor) {
      [weak self, clock = cache.clock] in
      while let next = self?.cache.read({ $0.returns.next(of: number) }) {
        guard (try? await clock.sleep(next)) != nil else { return }
        self?.transaction { $0.sweepDue(&$1) }
      }
    }
  }

  /// Counts as online again if the network is reported to be away for too long.
  private nonisolated func doubtOffline(after trust: TimeSpan) {
    guard let since = cache.read({ $0.returns.offlineSince }), let end = since + trust
    else { return }
    _ = Task.detached(executorPreference: configuration.executor) {
      [weak self, clock = cache.clock] in
      guard (try? await clock.sleep(end)) != nil else { return }
      self?.returning { $0.offlineDoubted(since: since, random: $2, &$1) }
    }
  }

  /// Evaluates the conditions that a transaction asks about.
  private nonisolated func conditions(
    _ body: (inout CacheState, inout Transaction) -> [RefetchCondition.Asking]
  ) {
    for asking in transaction(body) { ask(asking) }
  }

  /// Evaluates a condition in its own task: nothing else waits for it.
  private nonisolated func ask(_ asking: RefetchCondition.Asking) {
    let store = asking.restoring.flatMap { self.store(of: $0) }
    _ = Task.detached(executorPreference: configuration.executor) { [weak self, scheduling] in
      var asking = asking
      if let store {
        await store()
        guard let present = self?.present(asking) else { return }
        asking = present
      }
      while true {
        let condition = asking.condition
        let predicate = asking.query.resolved.condition(of: condition.cause)
        let policy = await Scheduling.$current.withValue(scheduling) {
          // Only of an observer that waited for a store, and always refetches.
          guard let predicate else { return RefetchPolicy.always }
          return await predicate.answer(asking.info)
        }
        guard let self else { return }
        let next = self.transaction { state, transaction in
          state.answered(condition, policy, &transaction)
        }
        guard let next else { return }
        asking = next
      }
    }
  }

  /// The same question about the present state, after the store was read.
  private nonisolated func present(_ asking: RefetchCondition.Asking) -> RefetchCondition.Asking? {
    transaction { state, transaction in state.present(asking, transaction) }
  }

  private nonisolated func start(_ trigger: Trigger) {
    switch trigger.kind {
    case .invalidate(let filter, let scope):
      startInvalidation(filter, scope, superseding: true, .trigger, nil)
    case .refetch(let filter):
      startRefetch(filter, superseding: true, .trigger, nil)
    }
  }
}

extension EventRefetchPolicy.Condition {
  /// Runs user code: never call it under the lock.
  fileprivate func answer(_ info: QueryInfo) async -> RefetchPolicy {
    switch self {
    case .when(let condition): await condition() ? .always : .never
    case .informed(let condition): await condition(info) ? .always : .never
    case .policy(let policy): await policy(info)
    }
  }
}
