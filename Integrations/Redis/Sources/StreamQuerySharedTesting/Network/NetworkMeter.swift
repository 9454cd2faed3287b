/// The costs of a ``SimulatedNetwork``, until the end of its plan.
public struct NetworkMeter: Hashable, Sendable {
  /// The calls of the store, by name.
  public var calls: [String: Int] = [:]
  /// The bytes of requests and answers.
  ///
  /// Only texts and values are counted, and not what a protocol adds.
  public var bytes = 0
  /// The number of messages of the log that were delivered to nodes.
  public var delivered = 0
  /// The requests and answers that were lost on the way.
  public var lost = 0
  /// The events of the caches, by name.
  public var events: [String: Int] = [:]
  /// The answers that became data although the store had heard, while they were under way, that
  /// they are outdated.
  public var outdated = 0
  /// The requests of upstream in each second.
  public var upstream: [Int: Int] = [:]
  /// The requests that were not judged, because a fault, or its effects, excused them.
  public var excused = 0
  /// The requests that nodes made for themselves in each second, because the store was away.
  public var alone: [Int: Int] = [:]
  /// The changes that were reported to the store in each second; a change that was kept during an
  /// outage counts when it comes, once for each machine that reports it.
  public var changes: [Int: Int] = [:]
  /// The number of calls.
  public var fetches = 0
  /// The number of calls that failed.
  public var failed = 0
  /// The duration of the slowest call.
  public var longest = Duration.zero
  /// The duration of all calls together, including calls that found fresh data at once.
  public var waited = Duration.zero
}
