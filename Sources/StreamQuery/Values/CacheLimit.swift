/// The limits of a cache for entries that nobody uses at the moment.
///
/// An entry that is observed, fetched or awaited, or has optimistic changes, is never evicted. If such
/// entries alone exceed the limit, the cache keeps no others. Eviction chooses the entries that were used
/// least often lately. A long list that is read once pushes out nothing: see
/// <doc:PerformanceAndLimits>.
///
/// Every read, write, subscription, and call of `fetch` or a similar method is a use. A refetch by a
/// trigger is not.
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
  ///
  /// An entry that alone costs more leaves as soon as nobody uses it.
  public var maxCost: Int?
  /// The size of the largest key of an entry that is kept, in bytes; `nil` is any size.
  ///
  /// An entry with a larger key leaves as soon as nobody uses it. Keys that come from the network may be of
  /// any length, and ``cost`` does not include them. Texts count with their bytes, and lists and records
  /// with their elements. Every other part counts as 16 bytes, even if it is a value of your own type that
  /// needs more memory.
  public var maxKeySize: Int?
  /// The cost of an entry with data, in any unit; `nil` is 1 for each entry.
  ///
  /// A negative cost counts as 0.
  ///
  /// The cache calls this function soon after data changed, outside its lock, on the thread that changed the
  /// data or one that works for it. Until then the entry keeps its former cost, or costs 1. Optimistic
  /// changes do not count. The function must be quick, and is called only if there is a ``maxCost``. A client
  /// that it captures would never be freed: capture the client weakly.
  public var cost: (@Sendable (QueryInfo) -> Int)?

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxEntries: The most entries; `nil` is any number.
  ///   - maxCost: The highest sum of all costs; `nil` is any.
  ///   - maxKeySize: The size of the largest key of an entry that is kept, in bytes; `nil` is any.
  ///   - cost: The cost of an entry with data; `nil` is 1 for each.
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
