/// How many lookups there were, of each kind.
///
/// ```swift
/// let before = client.lookups
/// try await client.fetch(.user(42))
/// let since = client.lookups - before
/// print("of \(since.total) lookups \(since.misses) missed")
/// ```
public struct LookupCounts: Hashable, Codable, Sendable {
  /// How many found fresh data.
  public var hits = 0
  /// How many took stale data.
  public var staleHits = 0
  /// How many joined a fetch that was under way.
  public var joined = 0
  /// How many found nothing.
  public var misses = 0

  /// Creates counts of zero.
  public init() {}

  /// How many there were of one kind.
  public subscript(lookup: CacheLookup) -> Int {
    switch lookup {
    case .hit: hits
    case .staleHit: staleHits
    case .joined: joined
    case .miss: misses
    }
  }

  /// How many there were.
  public var total: Int { hits + staleHits + joined + misses }

  /// Which part was answered by the cache, stale data included; `nil` if nobody asked.
  public var hitRatio: Double? {
    total == 0 ? nil : Double(hits + staleHits) / Double(total)
  }

  /// The lookups since an earlier count.
  public static func - (later: Self, earlier: Self) -> Self {
    var counts = later
    counts.hits -= earlier.hits
    counts.staleHits -= earlier.staleHits
    counts.joined -= earlier.joined
    counts.misses -= earlier.misses
    return counts
  }

  @inline(__always)
  mutating func count(_ lookup: CacheLookup) {
    switch lookup {
    case .hit: hits += 1
    case .staleHit: staleHits += 1
    case .joined: joined += 1
    case .miss: misses += 1
    }
  }
}
