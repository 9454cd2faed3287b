public import StreamQueryShared

/// What a ``SimulatedNetwork`` is like, and what happens to it.
public struct NetworkPlan: Sendable {
  /// Decides delays, losses, callers and interleavings.
  public var seed: UInt64 = 1
  /// How many machines there are.
  public var nodes = 20
  /// How many keys they ask for, by Zipf's law.
  public var keys = 30
  /// How long it runs before all is healed and compared.
  public var duration = Duration.seconds(40)
  /// How many calls all machines make in a second.
  public var callsPerSecond = 100.0
  /// How many changes upstream, with the invalidation of a random node, happen in a second.
  public var changesPerSecond = 0.5
  /// How many changes upstream happen in a second that nobody announces.
  public var silentChangesPerSecond = 0.2
  /// How many changes per second happen upstream of which a random node learns without the log: the
  /// node invalidates its own data, and tells no other node.
  public var ownInvalidationsPerSecond = 0.0
  /// How many values of random nodes are written in a second, each the value of a change upstream.
  public var writesPerSecond = 0.0
  /// How many keys each node observes, by Zipf's law.
  public var observersPerNode = 0
  /// How often a failed fetch is retried, a tenth of a second later.
  public var retries = 0
  /// How long an attempt of a fetch may take; `nil` if it may take any time.
  public var attemptTimeout: Duration?
  /// How long data is fresh.
  public var staleTime = Duration.seconds(10)
  /// How long upstream takes.
  public var fetchTime = Duration.milliseconds(100)
  /// The shortest and the longest way between a node and the store.
  public var delay = (least: Duration.milliseconds(1), most: Duration.milliseconds(5))
  /// What happens when.
  public var faults: [(at: Duration, fault: NetworkFault)] = []
  /// How the nodes share.
  public var configuration: SharedCacheConfiguration = {
    var configuration = SharedCacheConfiguration(namespace: "network")
    configuration.trust = .seconds(4)
    configuration.lease = .seconds(3)
    configuration.answerTimeout = .seconds(8)
    configuration.pauses = (first: .milliseconds(250), longest: .seconds(2))
    return configuration
  }()
  /// How the nodes share in truth, while ``configuration`` says what is promised.
  ///
  /// Another one than that is a mistake, to see that it is noticed.
  public var broken: SharedCacheConfiguration?
  /// What the store keeps.
  public var limits = SharedStoreLimits()
  /// Puts something before the store, such as a mistake.
  public var wrap: @Sendable (MemorySharedStore) -> any SharedStore = { $0 }

  /// Creates a plan without faults.
  public init() {}

  /// How long a call may take.
  var longestCall: Duration {
    let attempt = configuration.answerTimeout * 3 / 2 + fetchTime + configuration.timeout * 2
    return attempt * (retries + 1) + Self.retryDelay * retries
  }

  static var retryDelay: Duration { .milliseconds(100) }
}
