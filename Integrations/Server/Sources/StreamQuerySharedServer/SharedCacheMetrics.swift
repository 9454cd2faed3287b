public import CoreMetrics
import StreamQueryServer
public import StreamQueryShared

/// Counts the events between clients and the shared store, with swift-metrics.
///
/// ```swift
/// var configuration = SharedCacheConfiguration(namespace: "shop")
/// configuration.measure()
/// ```
///
/// | metric | kind | dimension |
/// |---|---|---|
/// | `PREFIX.fetches` | counter | `result`: `hit`, `led`, `followed`, `alone` |
/// | `PREFIX.alone` | counter | `reason`: `storeAway`, `impatient`, `tooLarge`, `unshareable`, `outdated`, `part` |
/// | `PREFIX.hit.age` | timer | |
/// | `PREFIX.commits` | counter | |
/// | `PREFIX.outdated` | counter, of answers | `again`: `true` if the fetch began again |
/// | `PREFIX.unreadable` | counter, of entries | |
/// | `PREFIX.failures.elsewhere` | counter | |
/// | `PREFIX.distrusted` | counter, of entries here | `reason`: `invalidated`, `gap`, `untrusted` |
/// | `PREFIX.gaps` | counter | |
/// | `PREFIX.store.outages` | counter | |
/// | `PREFIX.store.away` | meter | |
///
/// A fetch that waits for another machine is `followed`, and also `hit` when it takes that machine's entry. A
/// fetch that begins again counts again. If the answer of a fetch cannot be shared, the fetch is `led`, and
/// also `alone` with the reason `tooLarge` or `unshareable`, for one request. So upstream got at most `led +
/// alone` requests, and the hit rate of the store is about `hit / (hit + led + alone)`. The client's own
/// metrics count each of these fetches as a miss.
///
/// `store.away` is the number of caches that get no answer from their store: raise an alarm if it is more
/// than zero. Caches with the same prefix add up, and a cache that is released subtracts its part. If the
/// process of a cache ends while the store is away, this part is not subtracted.
public struct SharedCacheMetrics: Sendable {
  private let hit: Counter
  private let led: Counter
  private let followed: Counter
  private let alone: Counter
  private let reasons: [SharedCacheEvent.Reason: Counter]
  private let age: Timer
  private let commits: Counter
  private let outdatedAgain: Counter
  private let outdatedAtLast: Counter
  private let unreadable: Counter
  private let failures: Counter
  private let invalidated: Counter
  private let lost: Counter
  private let untrusted: Counter
  private let gaps: Counter
  private let outages: Counter
  private let away: Meter

  /// Creates metrics.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the metrics' names.
  ///   - dimensions: Dimensions of every metric.
  ///   - factory: Makes the metrics; `nil` is the `MetricsSystem`, which must be bootstrapped before.
  public init(
    prefix: String = "streamquery.shared",
    dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil
  ) {
    let factory = factory ?? MetricsSystem.factory
    func counter(_ label: String, _ name: String? = nil, _ value: String = "") -> Counter {
      let own = name.map { [($0, value)] } ?? []
      return Counter(label: "\(prefix).\(label)", dimensions: dimensions + own, factory: factory)
    }
    hit = counter("fetches", "result", "hit")
    led = counter("fetches", "result", "led")
    followed = counter("fetches", "result", "followed")
    alone = counter("fetches", "result", "alone")
    let all: [SharedCacheEvent.Reason] = [
      .storeAway, .impatient, .tooLarge, .unshareable, .outdated, .part,
    ]
    reasons = Dictionary(
      uniqueKeysWithValues: all.map { ($0, counter("alone", "reason", $0.rawValue)) }
    )
    age = Timer(label: "\(prefix).hit.age", dimensions: dimensions, factory: factory)
    commits = counter("commits")
    outdatedAgain = counter("outdated", "again", "true")
    outdatedAtLast = counter("outdated", "again", "false")
    unreadable = counter("unreadable")
    failures = counter("failures.elsewhere")
    invalidated = counter("distrusted", "reason", "invalidated")
    lost = counter("distrusted", "reason", "gap")
    untrusted = counter("distrusted", "reason", "untrusted")
    gaps = counter("gaps")
    outages = counter("store.outages")
    away = Meter(label: "\(prefix).store.away", dimensions: dimensions, factory: factory)
  }

  /// Records an event.
  ///
  /// - Parameter event: The event.
  public func record(_ event: SharedCacheEvent) {
    switch event {
    case .hit(_, let age):
      hit.increment()
      self.age.recordNanoseconds(age.inNanoseconds)
    case .leads: led.increment()
    case .follows: followed.increment()
    case .alone(_, let reason):
      alone.increment()
      reasons[reason]?.increment()
    case .committed: commits.increment()
    case .outdated(_, let again): (again ? outdatedAgain : outdatedAtLast).increment()
    case .unreadable: unreadable.increment()
    case .failedElsewhere: failures.increment()
    case .invalidated(let count): invalidated.increment(by: count)
    case .gap(let count):
      gaps.increment()
      lost.increment(by: count)
    case .untrusted(let count): untrusted.increment(by: count)
    case .storeAway:
      outages.increment()
      away.increment()
    case .storeBack, .releasedWhileAway: away.decrement()
    case .followsLog: break
    }
  }
}

extension SharedCacheConfiguration {
  /// Counts the events between the client and the store.
  ///
  /// - Parameter metrics: The metrics.
  public mutating func measure(with metrics: SharedCacheMetrics = SharedCacheMetrics()) {
    eventReceivers.append { metrics.record($0) }
  }
}
