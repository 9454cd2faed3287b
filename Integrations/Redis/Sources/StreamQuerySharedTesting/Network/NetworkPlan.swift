public import StreamQueryShared

/// The plan of a ``SimulatedNetwork``: its machines, its times, and its faults.
public struct NetworkPlan: Sendable {
  /// Decides delays, losses, callers and interleavings.
  public var seed: UInt64 = 1
  /// The number of machines; a smaller number than 1 counts as 1.
  public var nodes = 20
  /// The number of keys, which are chosen by Zipf's law; a smaller number than 1 counts as 1.
  public var keys = 30
  /// The time until all faults are healed and the nodes are compared.
  public var duration = Duration.seconds(40)
  /// The number of calls of all machines per second.
  public var callsPerSecond = 100.0
  /// The number of changes upstream per second, each with an invalidation by a random node.
  public var changesPerSecond = 0.5
  /// The number of changes upstream per second that are not reported.
  public var silentChangesPerSecond = 0.2
  /// The number of changes upstream per second that only one random node hears of; this node invalidates
  /// its own data.
  public var ownInvalidationsPerSecond = 0.0
  /// The number of writes per second; in each, a random node writes the value of a change upstream.
  public var writesPerSecond = 0.0
  /// The number of keys that each node observes, by Zipf's law; a negative number counts as 0.
  public var observersPerNode = 0
  /// The number of retries of a failed fetch, each a tenth of a second later.
  public var retries = 0
  /// The timeout of an attempt of a fetch; `nil` is none.
  public var attemptTimeout: Duration?
  /// The stale time.
  public var staleTime = Duration.seconds(10)
  /// How long upstream takes to answer.
  public var fetchTime = Duration.milliseconds(100)
  /// The least and the greatest time that a message between a node and the store is on its way.
  public var delay = (least: Duration.milliseconds(1), most: Duration.milliseconds(5))
  /// The faults and their times.
  public var faults: [(at: Duration, fault: NetworkFault)] = []
  /// The configuration of the nodes.
  public var configuration: SharedCacheConfiguration = {
    var configuration = SharedCacheConfiguration(namespace: "network")
    configuration.trust = .seconds(4)
    configuration.lease = .seconds(3)
    configuration.answerTimeout = .seconds(8)
    configuration.pauses = (first: .milliseconds(250), longest: .seconds(2))
    return configuration
  }()
  /// A configuration for the nodes instead of ``configuration``, to break the promises of the latter.
  ///
  /// The promises are still judged by ``configuration``, so set this to see whether the report names the
  /// broken ones.
  public var broken: SharedCacheConfiguration?
  /// The limits of the store.
  public var limits = SharedStoreLimits()
  /// Wraps the store, for example in one with a deliberate bug that the judge has to find.
  public var wrap: @Sendable (MemorySharedStore) -> any SharedStore = { $0 }

  /// Creates a plan without faults.
  public init() {}

  /// The plan with numbers that a network can have.
  var possible: Self {
    var plan = self
    (plan.nodes, plan.keys) = (max(1, nodes), max(1, keys))
    plan.observersPerNode = max(0, observersPerNode)
    return plan
  }

  /// The maximum duration of a call.
  var longestCall: Duration {
    let attempt = configuration.answerTimeout * 3 / 2 + fetchTime + configuration.timeout * 2
    return attempt * (retries + 1) + Self.retryDelay * retries
  }

  static var retryDelay: Duration { .milliseconds(100) }
}
