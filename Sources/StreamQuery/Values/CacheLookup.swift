/// The result of a lookup in the cache, for a caller or a new observer.
///
/// Each `fetch`, `ensure` and `prefetch` counts as one lookup, unless it is refused, because there is no
/// fetch closure or the fetch would wait for itself. So does an enabled observer when it subscribes, moves to
/// another key or becomes enabled. Plain reads with `data(for:)` or `result(for:)`, and requests for a
/// refetch, are not counted, because whether they fetch does not depend on what the cache has: a read never
/// fetches, and a refetch always does.
///
/// ``QueryClient/lookups`` counts the lookups. Each is also an event, ``QueryEvent/Kind/lookup(_:)``; an
/// ``EventReceiver`` may ask for fewer of these events. The event of a miss names the missing key:
///
/// ```swift
/// for await event in client.events {
///   guard case .lookup(.miss) = event.kind else { continue }
///   print("not in the cache: \(event.key)")
/// }
/// ```
public enum CacheLookup: String, Hashable, Codable, CaseIterable, Sendable {
  /// Fresh data.
  case hit
  /// Data that is invalidated or older than its stale time, and that the caller accepts: an
  /// observer shows the data during its refetch, and `ensure` returns it.
  case staleHit
  /// No data that the caller accepts, but a running fetch: the caller waits for it.
  case joined
  /// No data that the caller accepts: it is fetched, unless an option such as
  /// ``Query/retryOnSubscribe(_:)`` prevents that.
  case miss
  /// A recent failure that the caller gets instead of a fetch: see ``FailureCaching``.
  case failure
}

/// Numbers of lookups, by kind.
///
/// ```swift
/// let before = client.lookups
/// try await client.fetch(.user(42))
/// let since = client.lookups - before
/// print("of \(since.total) lookups \(since.misses) missed")
/// ```
public struct LookupCounts: Hashable, Codable, Sendable {
  /// Lookups that found fresh data.
  public var hits = 0
  /// Lookups that took stale data.
  public var staleHits = 0
  /// Lookups that joined a running fetch.
  public var joined = 0
  /// Lookups that found nothing.
  public var misses = 0
  /// Lookups that got a recent failure instead of a fetch: ``FailureCaching``.
  public var failures = 0
  /// Callers that joined a fetch or missed, and were served stale data because the fetch failed or took long:
  /// ``Query/staleIfError(_:)``.
  ///
  /// The callers are among ``joined`` and ``misses``, so ``total`` does not count them again.
  public var servedStale = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of lookups of one kind.
  public subscript(lookup: CacheLookup) -> Int {
    switch lookup {
    case .hit: hits
    case .staleHit: staleHits
    case .joined: joined
    case .miss: misses
    case .failure: failures
    }
  }

  /// The number of all lookups.
  public var total: Int { hits + staleHits + joined + misses + failures }

  /// The share of lookups that found data, stale data included; `nil` without lookups.
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
    counts.failures -= earlier.failures
    counts.servedStale -= earlier.servedStale
    return counts
  }

  @inline(__always)
  mutating func count(_ lookup: CacheLookup) {
    switch lookup {
    case .hit: hits += 1
    case .staleHit: staleHits += 1
    case .joined: joined += 1
    case .miss: misses += 1
    case .failure: failures += 1
    }
  }
}
