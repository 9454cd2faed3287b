nonisolated extension QueryClient {
  /// Connects a stream of triggers: each element invalidates or refetches.
  ///
  /// The client takes an element when it has handled the one before, so it never holds more than one.
  ///
  /// - Parameter triggers: The stream. After it ends or fails, it triggers nothing more.
  /// - Returns: A handle; keep it for as long as the stream should feed the client.
  public nonisolated func connect<Triggers: AsyncSequence>(
    triggers: sending Triggers
  ) -> TriggerConnection where Triggers.Element == QueryTrigger {
    openSignals()
    let port = signals
    // The name is made only for a record: nothing else shows it.
    let name = configuration.record.count > 0 ? "connect(triggers: \(Triggers.self))" : ""
    // The sequence is handed over to one task, which takes it once; nothing else retains it. The
    // task is detached, because no caller waits for it.
    let sendOnce = SendOnce(triggers)
    let task = Task.detached(on: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        guard let triggers = sendOnce.take() else { return }
        await port.forward(triggers) { .trigger($0, of: name) }
      }
    }
    return TriggerConnection(task: task, shutdownHandlers: shutdownHandlers)
  }

  /// Forwards each element of a query's own trigger stream to the loop that handles signals.
  func forward(
    _ source: DefinitionExtras.TriggerSource,
    into key: EntryKey
  ) -> Task<Void, Never> {
    openSignals()
    let port = signals
    let signal = Signal.query(Signal.KeyTrigger(key: key, pacing: source.pacing))
    return Task.detached(on: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) {
        do {
          try await Self.forEach(of: source.make()) { port.send(signal) }
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

  /// Reads the sources of the network and the app, and observes those that can change.
  func startEnvironment() {
    let connectivity = configuration.connectivity
    let activity = configuration.activity
    let isOnline = connectivity.initial
    let isActive = activity.initial
    transaction { state, transaction in
      state.environment.isOnline = isOnline
      state.environment.isActive = isActive
      state.announce(.environmentChanged, &transaction)
    }
    if !connectivity.isConstant { watch(connectivity.states()) { .online($0) } }
    if !activity.isConstant { watch(activity.states()) { .active($0) } }
    if let forward = configuration.memoryPressure.forward { watch(forward) }
  }

  private func watch<States: AsyncSequence<Bool, Never> & Sendable>(
    _ states: States,
    _ signal: @escaping @Sendable (Bool) -> Signal
  ) {
    watch { await $0.forward(states, signal) }
  }

  private func watch(_ forward: @escaping @Sendable (SignalPort) async -> Void) {
    openSignals()
    let port = signals
    let task = Task.detached(on: configuration.executor) { [scheduling] in
      await Scheduling.$current.withValue(scheduling) { await forward(port) }
    }
    sources.append(task)
  }

  /// Starts the loop that handles all signals, unless it runs already.
  func openSignals() {
    guard signals.open() else { return }
    // The reference is weak, because the loop must not keep an unused client alive. The task is
    // detached, because it lasts as long as the client, and must not keep the first caller's
    // priority and task-locals.
    let task = Task.detached(on: configuration.executor) { [weak self, signals] in
      while let delivery = await signals.next() {
        self?.handle(delivery.signal)
        delivery.receipt?.give(())
      }
    }
    sources.append(task)
  }

  /// Handles a signal; signals are handled one after the other.
  ///
  /// Not isolated to the client, because this runs predicates and options: user code.
  private func handle(_ signal: Signal) {
    switch signal {
    case .time: timeReached()
    case .online(let isOnline):
      returning { $0.environmentReported(isOnline: isOnline, random: $2, &$1) }
    case .active(let isActive):
      if isActive {
        persisters.persister?.retryLoad()
        durableRuns?.retryLoad()
      } else {
        saveBeforeSuspension()
      }
      returning { $0.environmentReported(isActive: isActive, random: $2, &$1) }
    case .pressure(let level): relieve(level)
    case .query(let trigger):
      let random = trigger.pacing.spreading > .zero ? nextRandom() : 0
      if let entry = transaction({ $0.heard(trigger, random: random, &$1) }) {
        refetch(onceRestored: [entry], .trigger, nil)
      }
    case .trigger(let trigger, let name): start(trigger, of: name)
    }
  }

  /// Writes the changes now, in the time that the system gives.
  private func saveBeforeSuspension() {
    let (persister, durableRuns) = (persisters.persister, durableRuns)
    persister?.flush()
    guard persister != nil || durableRuns != nil else { return }
    guard let end = configuration.backgroundTime?.begin("Saving queries") else { return }
    // The task retains the objects that write, but not the client.
    _ = Task.detached(on: configuration.executor) {
      _ = await durableRuns?.save()
      await persister?.save()
      end()
    }
  }

  private func start(_ trigger: QueryTrigger, of name: String) {
    if configuration.record.count > 0 { transaction { $0.announce(.triggered(name), &$1) } }
    switch trigger.kind {
    case .invalidate(let filter, let scope, let query):
      if let query { prepareToInvalidate(query.key, query.definition, scope) }
      startInvalidation(filter, scope, superseding: true, .trigger, nil)
    case .refetch(let filter):
      startRefetch(filter, superseding: true, .trigger, nil)
    }
  }
}
