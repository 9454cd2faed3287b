#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#if canImport(Glibc)
import Glibc
#endif

nonisolated extension QueryClient {
  /// The defaults and the environment of a client: all of its input from outside.
  public struct Configuration: Sendable {
    /// Defaults for queries.
    public var defaults: QueryDefaults
    /// Tells whether the network can be reached.
    public var connectivity: Connectivity
    /// Tells whether the app or process is active.
    public var activity: AppActivity
    /// Tells whether memory is short; by default as Apple platforms report it, and never elsewhere.
    public var memoryPressure: MemoryPressure
    /// The limit for cached data that nobody observes; none by default.
    public var limit: CacheLimit?
    /// The number of tables in which threads find data without the cache's lock; `nil`, the default, is none.
    ///
    /// One lock guards the cache, and each read holds it for about half a microsecond. On a server with many
    /// processors, threads that read at the same time would wait for each other. With this option, they find
    /// copies of the data in as many tables, each with its own lock. This applies to `data(for:)`; and to
    /// `fetch`, `ensure` and `prefetch` if the data is fresh, no store keeps it, and no refetch ahead of time
    /// is due. The results are the same. The number is rounded up to a power of two, at most 256; ``server``
    /// has four for each processor. Each table takes about 150 bytes from the beginning, and each entry that
    /// is read about 200, or more where a receiver counts its hits: ``EventReceiver/init(hits:_:)``. A
    /// ``limit`` learns of these uses in batches.
    ///
    /// Each lookup is an event, and only the cache's lock orders events. So if ``onEvent`` or
    /// ``QueryClient/events`` gets every event, each `fetch` takes that lock. A receiver can ask for less:
    /// ``EventReceiver``.
    public var readShards: Int?
    /// The clock on which the client waits.
    public var clock: any Clock<Duration>
    /// The clock that fetches and operators get through ``Scheduling``; `nil` means ``clock``.
    ///
    /// A simulation uses it to tell the client's own timer from other sleepers.
    package var operatorClock: (any Clock<Duration>)?
    /// The deadlines that the clients of one owner share, if their clock is `ContinuousClock`; `nil` means
    /// those of the process, or own deadlines if the client has an executor.
    var sharedDeadlines: Deadlines?
    /// Whether calls of low priority leave their actions to the client's executor.
    ///
    /// `false` in a simulation: the priority of a test must not decide its course.
    package var mindsPriority = true
    /// The executor that the client's tasks prefer; `nil` means the global executor.
    ///
    /// A client with an executor sleeps on timers of its own. The runtime keeps a timer until its time is
    /// over, even if it is cancelled and the client is gone. Keep one such client, or make clients by
    /// `QueryAccounts`, whose clients share their timers.
    public var executor: (any TaskExecutor)?
    /// The source of random numbers, used for the jitter of retries.
    public var randomness: @Sendable () -> UInt64
    /// The source of dates that people see; no decision depends on it.
    public var wallClock: @Sendable () -> Date
    /// Whether a failed refetch marks its entry as invalidated; `true` by default.
    ///
    /// An invalidated entry is stale at any age, so the next trigger tries again. With `false`,
    /// freshness depends on age alone: data within its stale time is left alone even after a
    /// failure.
    public var failureInvalidates: Bool
    /// The number of fetches that may run at a time; `nil`, the default, is any number.
    ///
    /// After a reconnect or in a new screen, many queries want to fetch at once. With a limit the others
    /// wait, and fetch in this order: observed queries, and queries that a task of high priority waits for;
    /// queries that other tasks wait for, by the priorities of these; all others. Among equals, the one that
    /// waits longest is next. A query that waits shows that it is fetching.
    ///
    /// An attempt counts from its beginning to its answer, or to the first part that it shows. A fetch
    /// does not count while it waits for its next attempt, or for the network. If a fetch waits for
    /// another one, or observes it, the other one is fetched at once and does not count: two fetches
    /// cannot wait for each other's turn. A fetch that waits for a mutation does not count from then on.
    /// A cancelled fetch does not count either, even if its work does not stop at once. Less than one
    /// counts as one.
    public var maxConcurrentFetches: Int?
    /// How refetches are paced when the network is back; ``RefetchPacing/off`` by default.
    public var reconnectPacing: RefetchPacing
    /// How refetches are paced when the app is active again; ``RefetchPacing/off`` by default.
    public var activationPacing: RefetchPacing
    /// The clock on which the client waits, with its type erased.
    var erasedClock: ErasedClock {
      let own = ErasedClock(clock)
      // Two clocks of another type may be different clocks, so their clients share no deadlines.
      guard clock is ContinuousClock,
        let deadlines = sharedDeadlines ?? (executor == nil ? .shared : nil)
      else { return own }
      return own.sleeping(on: deadlines)
    }
    /// Whether a reconnect or an activation causes refetches at a later time.
    var pacesReturns: Bool {
      spreadsReturns || connectivity.trust != nil || reconnectPacing.coalescing > .zero
        || activationPacing.coalescing > .zero
    }
    var spreadsReturns: Bool {
      reconnectPacing.spreading > .zero || activationPacing.spreading > .zero
    }
    /// The settings for keeping data beyond the process.
    package var keeping = KeepingSettings()
    /// The log of reported advice; `nil`, as in a simulation, reports none.
    package var adviceLog: AdviceLog? = .shared
    /// Asks the system for time to write changes when the app leaves the screen.
    var backgroundTime = BackgroundTime.platformDefault
    /// Options with a lower rank than ``defaults``.
    var preset = QueryOptions.default
    /// Companions of every attempt of every fetch, the first outermost; none by default.
    public var fetchCompanions: [any FetchCompanion]
    /// Companions of every attempt of every mutation, the first outermost; none by default.
    public var mutationCompanions: [any MutationCompanion]
    /// Callbacks for every mutation; none by default.
    public var mutationHooks: MutationHooks
    /// Receives every event, in the order in which the events happened.
    ///
    /// It is called outside the cache's lock, by one thread at a time: the thread that caused the event,
    /// another thread that uses the client, or one of its executor. It sees no task-locals and the default
    /// priority, whichever code caused the event. A call delivers at most as many events as it caused, and
    /// 256 more.
    ///
    /// It must be quick: everything that happens next waits for it. Once 4,096 events wait, callers
    /// that cause more are delayed, by at most 10 ms for each 4,096. ``QueryClient/events`` delays
    /// no caller for its readers, but they may miss events. Calls that the closure makes on the
    /// client never wait.
    ///
    /// For everything that is reported to begin, an end is reported too, even if the client is freed: its
    /// fetches are cancelled and its entries removed, as by ``QueryClient/shutDown()``.
    ///
    /// A client that the closure captures would never be freed: capture the client weakly.
    public var onEvent: (@Sendable (QueryEvent) -> Void)?
    /// Further receivers of events, on the terms of ``onEvent``; none by default.
    ///
    /// Use these for receivers beside the program's own closure, such as a log or metrics: setting
    /// ``onEvent`` does not remove them. Each event goes to ``onEvent`` first, and then to these in their
    /// order. A receiver may need less than every event: see ``EventReceiver``.
    ///
    /// ```swift
    /// var configuration = QueryClient.Configuration()
    /// configuration.eventReceivers.append(EventReceiver { event in print(event) })
    /// ```
    public var eventReceivers: [EventReceiver]
    /// Whether the client keeps a record of what happens in it, for the inspector; ``RecordPolicy/off`` by
    /// default.
    public var record = RecordPolicy.off
    /// Receives mistakes that cannot be thrown; prints them by default.
    ///
    /// A client that the closure captures would never be freed: capture the client weakly.
    public var onMisuse: @Sendable (QueryMisuse) -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - defaults: Defaults for queries.
    ///   - connectivity: Whether the network can be reached.
    ///   - activity: Whether the app or process is active.
    ///   - memoryPressure: Whether memory is short.
    ///   - limit: The limit for cached data that nobody observes.
    ///   - readShards: The number of tables in which threads find data without the cache's lock.
    ///   - maxConcurrentFetches: The number of fetches that may run at a time.
    ///   - reconnectPacing: How refetches are paced when the network is back.
    ///   - activationPacing: How refetches are paced when the app is active again.
    ///   - clock: The clock on which the client waits.
    ///   - executor: The executor that the client's tasks prefer; `nil` means the global executor.
    ///   - randomness: The source of random numbers.
    ///   - wallClock: The source of dates that people see.
    ///   - failureInvalidates: Whether a failed refetch marks its entry as invalidated.
    ///   - fetchCompanions: Companions of every attempt of every fetch, the first outermost.
    ///   - mutationCompanions: Companions of every attempt of every mutation, the first outermost.
    ///   - mutationHooks: Callbacks for every mutation.
    ///   - onEvent: Receives every event; must be quick.
    ///   - eventReceivers: Further receivers of events.
    ///   - onMisuse: Receives mistakes that cannot be thrown.
    public init(
      defaults: QueryDefaults = .init(),
      connectivity: Connectivity = .platformDefault,
      activity: AppActivity = .platformDefault,
      memoryPressure: MemoryPressure = .platformDefault,
      limit: CacheLimit? = nil,
      readShards: Int? = nil,
      maxConcurrentFetches: Int? = nil,
      reconnectPacing: RefetchPacing = .off,
      activationPacing: RefetchPacing = .off,
      clock: any Clock<Duration> = ContinuousClock(),
      executor: (any TaskExecutor)? = nil,
      randomness: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      wallClock: @escaping @Sendable () -> Date = { Date() },
      failureInvalidates: Bool = true,
      fetchCompanions: [any FetchCompanion] = [],
      mutationCompanions: [any MutationCompanion] = [],
      mutationHooks: MutationHooks = MutationHooks(),
      onEvent: (@Sendable (QueryEvent) -> Void)? = nil,
      eventReceivers: [EventReceiver] = [],
      onMisuse: @escaping @Sendable (QueryMisuse) -> Void = { print("StreamQuery: \($0)") }
    ) {
      self.defaults = defaults
      self.connectivity = connectivity
      self.activity = activity
      self.memoryPressure = memoryPressure
      self.limit = limit
      self.readShards = readShards
      self.maxConcurrentFetches = maxConcurrentFetches
      self.reconnectPacing = reconnectPacing
      self.activationPacing = activationPacing
      self.clock = clock
      self.executor = executor
      self.randomness = randomness
      self.wallClock = wallClock
      self.failureInvalidates = failureInvalidates
      self.fetchCompanions = fetchCompanions
      self.mutationCompanions = mutationCompanions
      self.mutationHooks = mutationHooks
      self.onEvent = onEvent
      self.eventReceivers = eventReceivers
      self.onMisuse = onMisuse
    }

    /// For long-lived server processes: many callers, few observers, and no app.
    ///
    /// Such a client observes no system source. A request is answered or fails soon: `fetch`, `ensure`
    /// and `prefetch` retry only if the query itself or a default says so.
    ///
    /// | what | on a server | elsewhere |
    /// |---|---|---|
    /// | ``connectivity``, ``activity`` | always online and active | of the platform |
    /// | ``memoryPressure`` | none | of the platform |
    /// | ``limit`` | 10,000 entries, none of a key over 16 KiB | none |
    /// | ``readShards`` | four for each processor | none |
    /// | ``QueryOptions/gcTime`` | for ever: the limit decides | 5 minutes |
    /// | ``QueryOptions/timeout`` | 30 seconds for each attempt, except of streamed and infinite queries | none |
    /// | ``QueryOptions/staleIfError`` | off: an error may mean that the data is not to be shown | off |
    /// | ``QueryOptions/softTimeout`` | none | none |
    /// | ``QueryOptions/cachesFailures`` | off | off |
    /// | ``QueryOptions/refreshAhead`` | off | off |
    /// | ``QueryOptions/staleTime`` | zero | zero |
    /// | ``QueryOptions/retry`` of observers | three times: observers can wait | three times |
    /// | ``QueryOptions/refetchInterval`` | none; one that a query has runs while it is observed | none |
    ///
    /// The options apply below ``defaults``, also if those are replaced: ``defaults``, the defaults of a
    /// prefix, and a query override them. ``server(staleIfError:softTimeout:cachesFailures:refreshAhead:)``
    /// turns on the options that are off here. See <doc:OnTheServer>.
    ///
    /// ```swift
    /// var configuration = QueryClient.Configuration.server
    /// configuration.defaults.staleTime = .seconds(30)
    /// let rates = QueryClient(configuration: configuration)
    /// ```
    public static var server: Self {
      var configuration = Configuration(
        connectivity: .alwaysOnline,
        activity: .alwaysActive,
        memoryPressure: .none
      )
      configuration.limit = CacheLimit(maxEntries: 10_000, maxKeySize: 16_384)
      configuration.readShards = 4 * ProcessInfo.processInfo.activeProcessorCount
      configuration.preset.gcTime = .seconds(Int64.max)
      configuration.preset.timeout = .seconds(30)
      return configuration
    }

    /// ``server``, for a client whose callers rather get data that is somewhat old than an error or a
    /// wait.
    ///
    /// ```swift
    /// var configuration = QueryClient.Configuration.server(
    ///   staleIfError: .minutes(5),
    ///   softTimeout: .milliseconds(100),
    ///   cachesFailures: .seconds(1),
    ///   refreshAhead: .fraction(0.8, jitter: 0.1)
    /// )
    /// configuration.defaults.staleTime = .seconds(30)
    /// let rates = QueryClient(configuration: configuration)
    /// ```
    ///
    /// Use it only for data that anybody may go on seeing for that long: an error may also say that data is
    /// gone, or not allowed any more. Like those of ``server``, the options apply below ``defaults``; a query
    /// that promises less says `.staleIfError(.zero)`.
    ///
    /// - Parameters:
    ///   - grace: How long data is still returned after it became stale, if its fetch fails:
    ///     ``Query/staleIfError(_:)``.
    ///   - softTimeout: How long callers wait for a fetch while there is such data,
    ///     ``Query/softTimeout(_:)``; `nil` is until it ends.
    ///   - failures: How long callers get a failure, ``Query/cachesFailures(_:)``.
    ///   - refresh: When data is refetched before it is stale, ``Query/refreshAhead(_:)``.
    /// - Returns: The configuration.
    public static func server(
      staleIfError grace: Duration,
      softTimeout: Duration? = nil,
      cachesFailures failures: FailureCaching = .off,
      refreshAhead refresh: RefreshAhead = .off
    ) -> Self {
      var configuration = Self.server
      configuration.preset.staleIfError = grace
      configuration.preset.softTimeout = softTimeout
      configuration.preset.cachesFailures = failures
      configuration.preset.refreshAhead = refresh
      return configuration
    }
  }
}
