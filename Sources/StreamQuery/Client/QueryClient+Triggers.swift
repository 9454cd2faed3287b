extension QueryClient {
  /// Connects a stream of triggers: each element invalidates or refetches.
  ///
  /// - Parameter triggers: The stream. When it ends or fails it triggers no more.
  /// - Returns: A handle; keep it for as long as the stream is to feed the client.
  public nonisolated func connect<Triggers: AsyncSequence>(
    triggers: sending Triggers
  ) -> TriggerConnection where Triggers.Element == Trigger {
    openSignals()
    let port = signals
    // Handed over: nobody else holds the sequence any more, and the one task takes it once.
    let handover = Handover(triggers)
    let task = Task(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        guard let triggers = handover.take() else { return }
        do {
          for try await trigger in triggers {
            guard !Task.isCancelled else { return }
            port.send(.trigger(trigger))
          }
        } catch {
          // A failed source triggers no more; its owner knows of the failure.
        }
      }
    }
    return TriggerConnection(task: task, endings: endings)
  }

  /// Stops everything: fetches are cancelled, streams end, callers throw ``QueryError/shutDown`` or
  /// `CancellationError`.
  ///
  /// What is written from then on is not kept.
  public nonisolated func shutDown() {
    sources.cancel()
    timer.cancel()
    signals.finish()
    turn { state, turn in
      state.isShutDown = true
      state.clearMutations(&turn)
      for index in state.consumers.indices where state.consumers[index].isLive {
        let id = ConsumerID(
          index: Int32(truncatingIfNeeded: index),
          generation: state.consumers[index].generation
        )
        state.unsubscribe(id, &turn)
      }
      for index in state.slots.indices where state.slots[index].key != nil {
        state.remove(index, reason: .cleared, &turn)
      }
    }
    endings.finish()
    eventHub.finish()
    counts.finish()
    mutationNews.finish()
  }

  /// Feeds each element of a query's own trigger stream into the loop.
  nonisolated func pump(
    _ make: @escaping @Sendable () -> any AsyncSequence,
    into key: EntryKey
  ) -> Task<Void, Never> {
    openSignals()
    let port = signals
    return Task(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        do {
          try await Self.forEach(of: make()) { port.send(.query(key)) }
        } catch {
          // A failed source triggers no more; its owner knows of the failure.
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
    cache.read {
      $0.isOnline = isOnline
      $0.isActive = isActive
    }
    if !connectivity.isConstant { watch(connectivity.states()) { .online($0) } }
    if !activity.isConstant { watch(activity.states()) { .active($0) } }
  }

  private nonisolated func watch<States: AsyncSequence<Bool, Never> & Sendable>(
    _ states: States,
    _ signal: @escaping @Sendable (Bool) -> Signal
  ) {
    openSignals()
    let port = signals
    let task = Task.detached(executorPreference: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        for await state in states { port.send(signal(state)) }
      }
    }
    sources.append(task)
  }

  /// Starts the loop that all asynchronous causes run through, once.
  nonisolated func openSignals() {
    guard let stream = signals.open() else { return }
    // Weak: the loop must not keep a client alive that nobody uses. Detached, as all that lasts as
    // long as the client: whoever came first must not lend it priority and task-locals for ever.
    let task = Task.detached(executorPreference: configuration.executor) { [weak self] in
      for await signal in stream {
        await self?.handle(signal)
      }
    }
    sources.append(task)
  }

  /// One signal after the other: the coordinator's one consumer.
  private func handle(_ signal: Signal) async {
    switch signal {
    case .time: timeReached()
    case .online(let isOnline): await worldChanged(isOnline: isOnline, isActive: nil)
    case .active(let isActive): await worldChanged(isOnline: nil, isActive: isActive)
    case .query(let key):
      signals.took(key)
      turn { state, turn in
        guard let index = state.find(key), state.slots[index].machine.isActive,
          state.slots[index].plan?.fetch != nil
        else { return }
        state.apply(
          state.slots[index].machine.requested(.trigger, in: turn.world),
          index,
          &turn
        )
      }
    case .trigger(let trigger): start(trigger)
    }
  }

  private nonisolated func worldChanged(isOnline: Bool?, isActive: Bool?) async {
    let asked = turn { state, turn -> (FetchCause?, [(ConsumerID, @Sendable () async -> Bool)]) in
      let wasOnline = state.isOnline
      let wasActive = state.isActive
      state.isOnline = isOnline ?? wasOnline
      state.isActive = isActive ?? wasActive
      turn.world.isOnline = state.isOnline
      turn.world.isActive = state.isActive
      guard state.isOnline != wasOnline || state.isActive != wasActive else { return (nil, []) }
      if !state.isOnline { state.forgetHeld(.reconnect) }
      if !state.isActive { state.forgetHeld(.active) }
      let cause: FetchCause? =
        if state.isOnline, !wasOnline { .reconnect } else if state.isActive, !wasActive {
          .active
        } else { nil }
      // Mutations go first: what they change is what the refetches are to bring.
      let resumed = state.resumeMutations(&turn)
      if let cause, state.hold(cause, for: resumed) { return (nil, []) }
      return (cause, state.sweep(cause, &turn))
    }
    guard let cause = asked.0 else { return }
    for (id, condition) in asked.1 { ask(condition, cause, id) }
  }

  /// Makes up for edges whose sweep waited for mutations.
  nonisolated func sweep(_ causes: [FetchCause]) {
    for cause in causes {
      let conditions = turn { state, turn in state.sweep(cause, &turn) }
      for (id, condition) in conditions { ask(condition, cause, id) }
    }
  }

  /// Asks a `.when` condition in a task of its own: nothing else waits for it.
  private nonisolated func ask(
    _ condition: @escaping @Sendable () async -> Bool,
    _ cause: FetchCause,
    _ id: ConsumerID
  ) {
    _ = Task(executorPreference: configuration.executor) { [weak self, scheduling] in
      let isWilling = await Scheduling.$current.withValue(scheduling) { await condition() }
      guard isWilling, let self else { return }
      self.turn { state, turn in
        guard let consumer = state.find(id), state.consumers[consumer].profile.isEnabled,
          state.consumers[consumer].profile.freshness != .static
        else { return }
        let index = Int(state.consumers[consumer].entry)
        if state.slots[index].machine.isIdle, let plan = state.consumers[consumer].plan {
          state.plan(index, with: plan, &turn)
        }
        state.apply(
          state.slots[index].machine.requested(cause, in: turn.world),
          index,
          &turn
        )
      }
    }
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
