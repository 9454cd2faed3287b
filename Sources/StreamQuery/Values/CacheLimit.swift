/// How much a cache keeps of what nobody uses at the moment.
///
/// What is observed, fetched or awaited, or has optimistic changes, is never evicted. It counts, so
/// the cache may exceed its limit, and then keeps nothing else. Eviction chooses what was used least
/// often lately, and a long list that is read once pushes out nothing: see <doc:Limits>.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.limit = CacheLimit(maxEntries: 2_000)
/// configuration.limit = CacheLimit(maxCost: 50_000_000) { info in
///   info.value(as: Data.self)?.count ?? 1_000
/// }
/// let client = QueryClient(configuration: configuration)
/// ```
public struct CacheLimit: Sendable, _FreeOfActors {
  /// The most entries; `nil` is any number.
  public var maxEntries: Int?
  /// The highest sum of all costs; `nil` is any.
  public var maxCost: Int?
  /// The size of the largest key of an entry that is kept, in bytes; `nil` is any size.
  ///
  /// An entry with a larger key leaves as soon as nobody uses it. Keys that come from the network may be
  /// of any length, and are not part of what ``cost`` is asked about. Texts count with their bytes,
  /// lists and records with their elements, and every other part as 16 bytes, whatever a value of your
  /// own type refers to.
  public var maxKeySize: Int?
  /// What an entry with data costs, in any unit, and 1 if it is `nil`; a negative cost counts as 0.
  ///
  /// It is called whenever data changed, soon afterwards, outside the cache's lock, on the thread
  /// that changed it or one that works for it. Until then the entry costs what it cost before, or 1.
  /// It must be quick, and is called only if there is a ``maxCost``. A client that it captures would
  /// never be freed: capture it weakly.
  public var cost: (@Sendable (QueryInfo) -> Int)?

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxEntries: The most entries; `nil` is any number.
  ///   - maxCost: The highest sum of all costs; `nil` is any.
  ///   - maxKeySize: The size of the largest key of an entry that is kept, in bytes; `nil` is any.
  ///   - cost: What an entry with data costs; `nil` is 1 for each.
  public init(
    maxEntries: Int? = nil,
    maxCost: Int? = nil,
    maxKeySize: Int? = nil,
    cost: (@Sendable (QueryInfo) -> Int)? = nil
  ) {
    self.maxEntries = maxEntries
    self.maxCost = maxCost
    self.maxKeySize = maxKeySize
    self.cost = cost
  }
}
