/// The costs of a ``SimulatedNetwork``, counted until the end of its plan.
public struct NetworkMeter: Hashable, Sendable {
  /// The number of calls of the store, by the name of the call.
  public var calls: [String: Int] = [:]
  /// The bytes of requests and answers.
  ///
  /// Only texts and values are counted, without the bytes that a protocol adds.
  public var bytes = 0
  /// The number of messages of the log that were delivered to nodes.
  public var delivered = 0
  /// The number of requests and answers that were lost on the way.
  public var lost = 0
  /// The number of events of the caches, by the name of the event.
  public var events: [String: Int] = [:]
  /// The number of answers that became data although the store had learned that they are outdated.
  ///
  /// The invalidation reached the store during the fetch.
  public var outdated = 0
  /// The number of requests to upstream in each second.
  public var upstream: [Int: Int] = [:]
  /// The number of requests that were not judged, because a fault or its effects excused them.
  public var excused = 0
  /// The number of requests that nodes made for themselves in each second, because the store did not answer.
  public var alone: [Int: Int] = [:]
  /// The number of changes that were reported to the store in each second.
  ///
  /// A report that an outage has delayed counts when it reaches the store. If several machines report a
  /// change, each report counts.
  public var changes: [Int: Int] = [:]
  /// The number of fetches that callers asked for.
  public var fetches = 0
  /// The number of ``fetches`` that failed.
  public var failed = 0
  /// The duration of the slowest of the ``fetches``.
  public var longest = Duration.zero
  /// The total duration of all ``fetches``, including those that found fresh data at once.
  public var waited = Duration.zero
}
