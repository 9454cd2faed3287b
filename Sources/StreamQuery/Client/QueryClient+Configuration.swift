#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#if canImport(Glibc)
import Glibc
#endif

extension QueryClient {
  /// Defaults and surroundings of a client: everything that it takes from the world.
  public struct Configuration: Sendable {
    /// Defaults for queries.
    public var defaults: QueryDefaults
    /// Whether the network can be reached.
    public var connectivity: Connectivity
    /// Whether the app or process is active.
    public var activity: Activity
    /// What the client waits by.
    public var clock: any Clock<Duration>
    /// The clock that fetches and operators get by ``Scheduling``; `nil` is ``clock``.
    ///
    /// A simulation tells the client's own timer from other sleepers by it.
    package var operatorClock: (any Clock<Duration>)?
    /// Whether calls of a low priority leave their errands to the client's executor.
    ///
    /// Not in a simulation: the priority of the test must not decide what happens in it.
    package var mindsPriority = true
    /// What the client's tasks prefer to run on; `nil` is the global executor.
    public var executor: (any TaskExecutor)?
    /// Where random numbers come from: jitter of retries.
    public var randomness: @Sendable () -> UInt64
    /// The date that people see; decisions never depend on it.
    public var wallClock: @Sendable () -> Date
    /// Whether a failed refetch marks its entry as invalidated; `true` by default.
    ///
    /// An invalidated entry is stale whatever its age, so the next trigger tries again. With `false`
    /// freshness depends on age alone: data within its stale time is left alone after a failure too.
    public var failureInvalidates: Bool
    /// Callbacks for every mutation; none by default.
    public var mutationHooks = MutationHooks()
    /// Gets every event, in the order in which things happened.
    ///
    /// It is called outside the cache's lock, by one thread at a time: the one that caused the event,
    /// another one that uses the client, or one of its executor. Its context is nobody's: it sees no
    /// task-locals and the default priority, whoever caused the event. A call tells at most 256 events
    /// of others beyond as many as it caused.
    ///
    /// It must be quick: what is to happen next waits for it, and once 4,096 events wait, callers that
    /// cause more are held up, 10 ms at most for each 4,096. ``QueryClient/events`` holds up nobody for
    /// its readers, but they may miss some. What it calls on the client itself never waits.
    /// A client that it captures would never be freed: capture it weakly.
    public var onEvent: (@Sendable (QueryEvent) -> Void)?
    /// Gets mistakes that cannot be thrown; prints them by default.
    ///
    /// A client that it captures would never be freed: capture it weakly.
    public var onMisuse: @Sendable (QueryMisuse) -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - defaults: Defaults for queries.
    ///   - connectivity: Whether the network can be reached.
    ///   - activity: Whether the app or process is active.
    ///   - clock: What the client waits by.
    ///   - executor: What the client's tasks prefer to run on; `nil` is the global executor.
    ///   - randomness: Where random numbers come from.
    ///   - wallClock: The date that people see.
    ///   - failureInvalidates: Whether a failed refetch marks its entry as invalidated.
    ///   - onEvent: Gets every event; must be quick.
    ///   - onMisuse: Gets mistakes that cannot be thrown.
    public init(
      defaults: QueryDefaults = .init(),
      connectivity: Connectivity = .platformDefault,
      activity: Activity = .platformDefault,
      clock: any Clock<Duration> = ContinuousClock(),
      executor: (any TaskExecutor)? = nil,
      randomness: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      wallClock: @escaping @Sendable () -> Date = { Date() },
      failureInvalidates: Bool = true,
      onEvent: (@Sendable (QueryEvent) -> Void)? = nil,
      onMisuse: @escaping @Sendable (QueryMisuse) -> Void = { print("StreamQuery: \($0)") }
    ) {
      self.defaults = defaults
      self.connectivity = connectivity
      self.activity = activity
      self.clock = clock
      self.executor = executor
      self.randomness = randomness
      self.wallClock = wallClock
      self.failureInvalidates = failureInvalidates
      self.onEvent = onEvent
      self.onMisuse = onMisuse
    }

    /// For long-lived server processes: always online and active, and no retries of imperative calls.
    ///
    /// Such a client follows no source of the system. A request of its caller is answered or fails at
    /// once: `fetch`, `ensure` and `prefetch` retry only where the query itself or a default says so.
    ///
    /// ```swift
    /// var configuration = QueryClient.Configuration.server
    /// configuration.defaults = QueryDefaults(staleTime: .seconds(30))
    /// let rates = QueryClient(configuration: configuration)
    /// ```
    public static var server: Self {
      Configuration(connectivity: .alwaysOnline, activity: .alwaysActive)
    }
  }
}
