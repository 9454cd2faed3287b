import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cache of server state, and everything that keeps it good.
///
/// Make one per scope of data (usually one per app, one per server process or tenant), keep it, and
/// hand it to whoever needs it.
///
/// ```swift
/// let client = QueryClient()
/// for await result in client.stream(.user(42)) {
///   show(result.data, refreshing: result.isFetching)
/// }
/// ```
///
/// Reads, writes and subscriptions are synchronous from anywhere: they go through one short lock, and all
/// members are `nonisolated`. The client is an actor because it is shared and has an identity; its isolation
/// protects nothing, and no call has to wait for it. Dropping the last reference while no stream, fetch or
/// waiting caller is left stops its timer and its triggers.
public actor QueryClient {
  nonisolated let cache: QueryCache
  nonisolated let configuration: Configuration
  /// Who hears of callers that wait; `nil` in an app.
  nonisolated let waitObserver: (any WaitObserver)?
  nonisolated let timer = WakeTimer()
  nonisolated let signals = SignalPort()
  nonisolated let eventHub = Hub<EventRing>()
  nonisolated let counts = Hub<NewsFlag<Never>>()
  nonisolated let mutationNews = Hub<NewsFlag<MutationTopic>>()
  nonisolated let mutationDefaults = Mutex(MutationDefaultsTable())
  nonisolated let sources = TaskBag()
  nonisolated let endings = Endings()
  #if DEBUG
  /// What was told once already.
  nonisolated let toldMisuses = Mutex<Set<QueryMisuse>>([])
  #endif

  /// Creates a client with an empty cache.
  ///
  /// - Parameter configuration: Defaults and surroundings.
  public init(configuration: Configuration = .init()) {
    self.configuration = configuration
    waitObserver = configuration.executor as? any WaitObserver
    cache = QueryCache(
      clock: ErasedClock(configuration.clock),
      wallClock: configuration.wallClock,
      emitsEvents: configuration.onEvent != nil,
      defaults: DefaultsTable(
        client: configuration.defaults,
        failureInvalidates: configuration.failureInvalidates
      )
    )
    startEnvironment()
  }

  deinit {
    sources.cancel()
    endings.finish()
    timer.cancel()
    signals.finish()
    eventHub.finish()
    counts.finish()
    mutationNews.finish()
  }

  /// The client's clock: what its waits and the time-based operators on its streams run on.
  public nonisolated var clock: any Clock<Duration> {
    configuration.operatorClock ?? configuration.clock
  }

  /// Where the client's tasks run, and by which clock it waits.
  public nonisolated var scheduling: Scheduling {
    Scheduling(clock: clock, executor: configuration.executor)
  }

  /// Reports a mistake that cannot be thrown.
  nonisolated func report(_ misuse: QueryMisuse) {
    configuration.onMisuse(misuse)
  }

  // MARK: Turns

  @discardableResult
  nonisolated func turn<Result: Sendable>(
    isDated: Bool = true,
    startsFetches: Bool = true,
    _ body: (inout CacheState, inout Turn) -> Result
  ) -> Result {
    cache.turn(self, at: cache.now(isDated: isDated), startsFetches: startsFetches, body)
  }

  nonisolated var defaults: DefaultsTable { cache.read { $0.defaults } }
}

extension QueryClient: ErrandRunner {
  nonisolated func sweep() {
    // Detached, and not at the caller's priority: it serves everybody. It holds the client: what is left
    // may be what somebody waits for.
    Task.detached(executorPreference: configuration.executor, priority: .medium) {
      self.cache.sweep(self)
    }
  }

  nonisolated var isOfLowPriority: Bool {
    configuration.mindsPriority && WorkPriority.current.isLow
  }

  nonisolated func perform(_ errand: Errand) {
    switch errand {
    case .wake(let parked): parked.wake()
    case .start(let job, let attempt): start(job, attempt: attempt)
    case .cancel(let job): job.tasks.cancel()
    case .settle(let waiters, let outcome):
      for waiter in waiters { waiter.resolve(outcome) }
    case .arm(let moment): arm(moment)
    // User code that is no caller's: whoever performs the errand must not be seen in it.
    case .ask(let entry): Inheritance.none { self.askOptions(of: entry) }
    case .unsettled(let key):
      Inheritance.none { self.report(.unsettledOption(key: key.description)) }
    case .crowded(let key):
      let count = PositionTable.crowd + 1
      Inheritance.none { self.report(.equalHashes(key: key.description, count: count)) }
    case .emit(let event): tell(event)
    case .emitRemoval(let removed, let slot, let count):
      if let event = removed.event(of: slot, count) { tell(event) }
    case .recount: counts.send(())
    case .mutation(let errand): perform(errand)
    }
  }

  private nonisolated func tell(_ event: QueryEvent) {
    if let onEvent = configuration.onEvent { Inheritance.none { onEvent(event) } }
    eventHub.send(event)
  }

  nonisolated func fulfil(_ duty: CallerDuty) {
    switch duty {
    case .standBy(let standby):
      Inheritance.without { standby.begin(on: configuration.executor) }
    case .lend(let tasks, let priority):
      tasks.lend(priority ?? .current, on: configuration.executor)
    case .several(let duties):
      for duty in duties { fulfil(duty) }
    }
  }
}
