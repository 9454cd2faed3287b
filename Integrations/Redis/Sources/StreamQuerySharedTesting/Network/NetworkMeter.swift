/// What a ``SimulatedNetwork`` costs, until the end of its plan.
public struct NetworkMeter: Hashable, Sendable {
  /// The calls of the store, by name.
  public var calls: [String: Int] = [:]
  /// The bytes of requests and answers; texts and values only, without what a protocol adds.
  public var bytes = 0
  /// How many messages of the log were delivered to nodes.
  public var delivered = 0
  /// The requests and answers that were lost on the way.
  public var lost = 0
  /// What the caches told, by name.
  public var events: [String: Int] = [:]
  /// The answers that landed after the store was told that they are outdated: they were under way.
  public var outdated = 0
  /// Upstream's requests in each second.
  public var upstream: [Int: Int] = [:]
  /// Those of them that were not judged, since a fault, or what it left behind, excused them.
  public var excused = 0
  /// Those of them that nodes made for themselves in each second, since the store was away.
  public var alone: [Int: Int] = [:]
  /// How many changes the store was told of in each second: one that was kept during an outage when
  /// it comes, and as often as machines tell of it.
  public var changes: [Int: Int] = [:]
  /// How many calls were made, and how long the longest took.
  public var fetches = 0
  /// How many calls failed.
  public var failed = 0
  /// How long the slowest call took.
  public var longest = Duration.zero
  /// How long all calls took together, those included that found fresh data at once.
  public var waited = Duration.zero
}
