import Synchronization

/// A cache of server state that fetches, shares and refreshes its data.
///
/// Make one per scope of data (usually one per app, or one per server process or tenant), keep it,
/// and pass it to the code that needs it.
///
/// ```swift
/// let client = QueryClient()
/// for await result in client.stream(.user(42)) {
///   show(result.data, refreshing: result.isFetching)
/// }
/// ```
///
/// Reads, writes and subscriptions are synchronous and can be called from anywhere: they take one
/// short lock, and all members are `nonisolated`. The client is an actor because it is shared and
/// has an identity; its isolation protects nothing, and no call has to wait for it. When the last
/// reference is dropped and no stream, fetch or waiting caller is left, the client stops its timer
/// and its triggers.
public actor QueryClient {
  nonisolated let cache: QueryCache
  package nonisolated let configuration: Configuration
  /// Notified when a caller waits, for tests and simulations; `nil` in an app.
  nonisolated let waitObserver: (any WaitObserver)?
  /// The configuration's companions; stored separately, because each fetch reads them.
  nonisolated let companions: [any FetchCompanion]
  /// The conditions that developer tools set; `nil` without a record, which such tools need.
  nonisolated let conditioned: ConditionedWork?
  nonisolated let timer = WakeTimer()
  /// The deadlines of the client: for its fetches, its callers and its stores, and for your code.
  @_spi(Adapters) public nonisolated let deadlines: Deadlines
  nonisolated let signals = SignalPort()
  nonisolated let eventBroadcaster = Broadcaster<EventRing>()
  nonisolated let eventReceivers: EventReceivers
  /// Tells receivers about hits; `nil` if no receiver counts them.
  nonisolated let hitReports: HitReports?
  nonisolated let counts = Broadcaster<NewsFlag<Never>>()
  nonisolated let recordNews = Broadcaster<NewsFlag<Never>>()
  nonisolated let mutationNews = Broadcaster<NewsFlag<MutationTopic>>()
  /// The configuration's hooks, in the form to which each run adds its own callbacks.
  nonisolated let mutationHooks: MutationCallbacks
  nonisolated let mutationDefaults = Mutex(MutationDefaultsTable())
  nonisolated let sources = TaskBag()
  nonisolated let persisters = PersisterSlot()
  /// Keeps runs of mutations beyond the process, if the configuration says so.
  package nonisolated let durableRuns: (any DurableRuns)?
  /// Whether an import may be running that names its keys in advance.
  ///
  /// Most clients never have one, so this is checked first.
  nonisolated let awaitsImports = Atomic(false)
  /// Whether a cache beside the client asks about invalidations; most clients have no such cache.
  nonisolated let notesInvalidations = Atomic(false)
  nonisolated let invalidations = Mutex(RecentInvalidations())
  /// Whether a write may be waiting for a store.
  ///
  /// Most clients never have one, so this is checked first.
  nonisolated let defersWrites = Atomic(false)
  nonisolated let deferredWrites = Mutex(DeferredWrites())
  /// The callers that wait before their fetches begin.
  nonisolated let restoringCallers = Mutex(RestoringCallers())
  nonisolated let shutdownHandlers = ShutdownHandlers()
  package nonisolated let erasure = ClientErasure()
  #if DEBUG
  /// The misuses that were already reported.
  nonisolated let toldMisuses = Mutex<Set<QueryMisuse>>([])
  /// Whether a first fetch or run has begun, and the advice was reported.
  nonisolated let isAdvised = Atomic(false)
  #endif

  /// Creates a client with an empty cache.
  ///
  /// - Parameter configuration: Defaults and environment.
  public init(configuration: Configuration = .init()) {
    let clock = configuration.erasedClock
    deadlines = Deadlines(clock: clock, executor: configuration.executor)
    // All waits of the client share its deadlines.
    var configuration = configuration
    configuration.clock = DeadlineClock(deadlines: deadlines)
    self.configuration = configuration
    companions = configuration.fetchCompanions
    conditioned =
      configuration.record.count == 0
      ? nil : ConditionedWork(clock: configuration.operatorClock ?? configuration.clock)
    eventReceivers = EventReceivers(configuration, eventBroadcaster)
    mutationHooks = configuration.mutationHooks.callbacks
    waitObserver = configuration.executor as? any WaitObserver
    durableRuns = configuration.keeping.runs?.makeDurableRuns(configuration)
    cache = QueryCache(
      clock: clock,
      wallClock: configuration.wallClock,
      events: eventReceivers.needs,
      defaults: DefaultsTable(
        client: configuration.defaults.over(configuration.preset),
        failureInvalidates: configuration.failureInvalidates,
        persistence: configuration.keeping.policy,
        persisters: persisters
      ),
      shards: configuration.readShards.map {
        ReadShards(count: $0, countsHits: configuration.eventReceivers.contains { $0.hits != nil })
      }
    )
    hitReports = HitReports(configuration, cache.shards)
    cache.record {
      $0.keepRecord(configuration.record)
      if let limit = configuration.maxConcurrentFetches { $0.limitFetches(to: limit) }
      if let limit = configuration.limit { $0.limit(to: limit) }
      $0.returns = ReturnPacing(
        reconnect: configuration.reconnectPacing,
        activation: configuration.activationPacing,
        trust: configuration.connectivity.trust
      )
    }
    persisters.belong(to: self)
    // Stores are read from the beginning, because queries fetch only after that.
    if let policy = configuration.keeping.policy {
      persisters.persister(for: policy)?.open(policy)
    }
    if let durableRuns {
      cache.record { $0.mutations.reserve() }
      durableRuns.start(for: self)
    }
    startEnvironment()
    // Stored runs are sent as soon as they are read: by then the state of the network should be known.
    if durableRuns != nil { openSignals() }
  }

  deinit {
    persisters.end(isErased: false, making: takeDeferredWrites())
    durableRuns?.end(writing: true)
    tellLastEvents()
    hitReports?.reportLastHits()
    sources.cancel()
    shutdownHandlers.finish()
    erasure.cancel()
    timer.cancel()
    signals.finish()
    eventBroadcaster.finish()
    counts.finish()
    recordNews.finish()
    mutationNews.finish()
  }

  /// The client's clock: the client's waits and the time-based operators on its streams use it.
  ///
  /// It tells the time of the configured clock. A cancelled sleep on it leaves nothing behind, whereas
  /// the runtime keeps a cancelled `Task.sleep` until its original time.
  public nonisolated var clock: any Clock<Duration> {
    configuration.operatorClock ?? configuration.clock
  }

  /// The executor of the client's tasks, and the clock on which it waits.
  public nonisolated var scheduling: Scheduling {
    Scheduling(clock: clock, executor: configuration.executor)
  }

  /// Draws a number from the configuration's source of random numbers.
  ///
  /// Call this in code around the client that waits for a random time, so that a simulation decides about
  /// this time, too.
  ///
  /// - Returns: 64 random bits.
  @_spi(Adapters) public nonisolated func nextRandom() -> UInt64 { configuration.randomness() }

  /// Reports a mistake that cannot be thrown; reports advice once in a process, and only in debug builds.
  package nonisolated func report(_ misuse: QueryMisuse) {
    if case .advice(let advice) = misuse {
      #if DEBUG
      guard let log = configuration.adviceLog, advice.isNew(in: log) else { return }
      #else
      return
      #endif
    }
    configuration.onMisuse(misuse)
  }
}

// MARK: Transactions

nonisolated extension QueryClient {
  @discardableResult
  func transaction<Result: Sendable>(
    isDated: Bool = true,
    _ body: (inout CacheState, inout Transaction) -> Result
  ) -> Result {
    cache.transaction(self, at: cache.now(isDated: isDated), body)
  }

  var defaults: DefaultsTable { cache.read { $0.defaults.table } }
}

nonisolated extension QueryClient: ActionRunner {
  func startDrainTask() {
    // The task is detached and does not have the caller's priority, because it serves every caller.
    // It retains the client, because a caller may be waiting for the remaining actions.
    Task.detached(on: configuration.executor, priority: .medium) {
      self.cache.drainActions(self)
    }
  }

  var isOfLowPriority: Bool {
    configuration.mindsPriority && WorkPriority.current.isLow
  }

  func perform(_ action: Action) {
    switch action {
    case .wake(let task): task.resume()
    case .start(let job, let attempt): start(job, attempt: attempt)
    case .cancel(let job): job.tasks.cancel()
    case .settle(let waiters, let outcome):
      for waiter in waiters { waiter.resolve(outcome) }
    case .arm(let instant): arm(instant)
    // User code that belongs to no caller must not see the context of the code that performs the
    // action.
    case .ask(let entry): TaskLocals.none { self.askOptions(of: entry) }
    case .askPolicy(let asking): TaskLocals.none { self.evaluate(asking) }
    case .unsettled(let key):
      TaskLocals.none { self.report(.unsettledOption(key: key.description)) }
    case .crowded(let key):
      let count = HashTable.slotsPerHash + 1
      TaskLocals.none { self.report(.equalHashes(key: key.description, count: count)) }
    case .emit(let event): eventReceivers.tell(event)
    case .emitRemoval(let removed, let slot, let count):
      if let event = removed.event(of: slot, count) { eventReceivers.tell(event) }
    case .settled(let job, let result): TaskLocals.none { self.settled(job, result) }
    case .recount: counts.send(())
    case .measure(let entry): TaskLocals.none { self.measure(entry) }
    case .evict: evict()
    case .recorded: recordNews.send(())
    case .recordValue(let value): TaskLocals.none { self.write(value) }
    case .persist: persisters.persister?.entriesChanged()
    case .reached(let wait): wait.give(())
    case .mutation(let action): perform(action)
    }
  }

  func performInCaller(_ callerAction: CallerAction) {
    switch callerAction {
    case .prepareTask(let prepared):
      TaskLocals.without { prepared.startTask(on: configuration.executor) }
    case .lend(let tasks, let priority):
      tasks.lend(priority ?? .current, on: configuration.executor)
    case .several(let callerActions):
      for callerAction in callerActions { performInCaller(callerAction) }
    }
  }
}

/// The receivers of events: those of the configuration, and the readers of streams.
struct EventReceivers: Sendable {
  private let receivers: [EventReceiver]
  private let broadcaster: Broadcaster<EventRing>

  init(
    _ configuration: QueryClient.Configuration,
    _ broadcaster: Broadcaster<EventRing>
  ) {
    let first = configuration.onEvent.map { EventReceiver($0) }
    receivers = [first].compactMap(\.self) + configuration.eventReceivers
    self.broadcaster = broadcaster
  }

  /// The needs of the configured receivers; the readers of streams, which come and go, do not count here.
  var needs: EventNeeds { receivers.map(\.needs).max() ?? .nothing }

  func tell(_ event: QueryEvent) {
    if !receivers.isEmpty {
      TaskLocals.none { [receivers] in for receiver in receivers { receiver.tell(event) } }
    }
    broadcaster.send(event)
  }
}
