public import CoreMetrics
public import StreamQuery
import Synchronization

/// Counts and measures the events of a cache, with swift-metrics.
///
/// ```swift
/// var configuration = QueryClient.Configuration.server
/// configuration.measure(with: QueryMetrics(prefix: "rates"))
/// ```
///
/// | metric | kind | dimension |
/// |---|---|---|
/// | `PREFIX.lookups` | counter | `result`: `hit`, `staleHit`, `joined`, `miss`, `failure` |
/// | `PREFIX.stale.served` | counter, of callers that waited and got stale data | |
/// | `PREFIX.wait.duration` | timer, of callers that waited, however that ended | |
/// | `PREFIX.fetches` | counter | `outcome`: `succeeded`, `notModified`, `failed`, `cancelled` |
/// | `PREFIX.fetch.duration` | timer | `outcome`, the same |
/// | `PREFIX.fetch.retries` | counter | |
/// | `PREFIX.removals` | counter | `reason`: `expired`, `evicted`, `removed`, `cleared` |
/// | `PREFIX.mutations` | counter | `outcome`: `succeeded`, `failed`, `cancelled` |
/// | `PREFIX.mutation.duration` | timer | `outcome`, the same |
/// | `PREFIX.persistence.failures` | counter | |
/// | `PREFIX.entries` | meter | |
/// | `PREFIX.fetching` | meter | |
///
/// The duration of a fetch includes its retries and pauses. A caller of `fetch`, `ensure` or `prefetch` may
/// wait for less time, because it joins a running fetch, because its soft timeout ends, or because it stops
/// waiting. `fetching` counts fetches that are not over, paused ones included. The meters go up and down with
/// the events, so clients that share a prefix add up. A client that is shut down or freed subtracts its part.
///
/// A client that reads without the cache's lock (`.server`) also does so with metrics. The number of hits is
/// exact, and appears within a second.
///
/// With ``init(prefix:dimensions:factory:named:)``'s `named`, each metric also has the dimension
/// `query`. Names come from keys, and keys may come from the network: beyond
/// ``maximumNames`` names, further ones count as `other`.
public struct QueryMetrics: Sendable {
  /// The maximum number of values of the dimension `query`, without `other`.
  public static let maximumNames = 200

  private let make: @Sendable (String?) -> QueryInstruments
  private let unnamed: QueryInstruments
  private let named: NamedInstruments?

  /// Creates metrics.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the metrics' names.
  ///   - dimensions: Dimensions of every metric.
  ///   - factory: Makes the metrics; `nil` is the `MetricsSystem`, which must be bootstrapped before.
  ///   - name: Gives the name of a query for the dimension `query`, such as the first part of the key; `nil`
  ///     leaves the dimension out. The closure runs for every event, every caller that waited, and every
  ///     report of hits, on several threads at once, and must be quick.
  public init(
    prefix: String = "streamquery",
    dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil,
    named name: (@Sendable (AnyQueryKey) -> String?)? = nil
  ) {
    let factory = factory ?? MetricsSystem.factory
    let make: @Sendable (String?) -> QueryInstruments = { name in
      let own = name.map { [("query", $0)] } ?? []
      return QueryInstruments(prefix, dimensions + own, factory)
    }
    self.make = make
    unnamed = make(nil)
    named = name.map { NamedInstruments(name: $0) }
  }

  /// Records an event.
  ///
  /// - Parameter event: The event.
  public func record(_ event: QueryEvent) {
    instruments(of: event.key).record(event)
  }

  /// Records lookups that found fresh data, which the client does not report as events.
  ///
  /// - Parameters:
  ///   - count: The number of lookups.
  ///   - key: The key.
  public func record(hits count: Int, of key: AnyQueryKey) {
    instruments(of: key).record(hits: count)
  }

  private func instruments(of key: AnyQueryKey) -> QueryInstruments {
    guard let named, let name = named.name(key) else { return unnamed }
    return named.instruments(of: name, else: make)
  }
}

extension QueryMetrics: FetchCompanion {
  /// Records how long a caller waited for a fetch.
  ///
  /// - Parameters:
  ///   - wait: The key and the fetch that the caller waited for.
  ///   - duration: The time for which the caller waited.
  public func callerWaited(_ wait: FetchWait, for duration: Duration) {
    instruments(of: wait.key).waited(for: duration)
  }

  /// Runs the attempt without measuring it, because the client's events have its duration.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - perform: Runs the attempt.
  /// - Returns: The result of `perform`.
  /// - Throws: The error of `perform`.
  public func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await perform()
  }
}

/// The instruments for each name of queries; all names beyond the limit share those of the name `other`.
private final class NamedInstruments: Sendable {
  let name: @Sendable (AnyQueryKey) -> String?
  /// The instruments by name; `nil` for a name whose instruments are still being made.
  private let known = Mutex<[String: QueryInstruments?]>([:])

  init(name: @escaping @Sendable (AnyQueryKey) -> String?) {
    self.name = name
  }

  func instruments(
    of name: String,
    else make: (String) -> QueryInstruments
  ) -> QueryInstruments {
    let (found, kept) = known.withLock { known -> (QueryInstruments?, String) in
      if let own = known[name] { return (own, name) }
      guard known.count < QueryMetrics.maximumNames else {
        return (known["other", default: nil], "other")
      }
      // The name has its place from now on, so that another thread cannot take that meanwhile.
      known.updateValue(nil, forKey: name)
      return (nil, name)
    }
    if let found { return found }
    // The instruments are made outside the lock, because the backend's code must not run under it.
    // If two threads make them at the same time, the first ones are kept.
    let made = make(kept)
    return known.withLock { known in
      if let first = known[kept, default: nil] { return first }
      known.updateValue(made, forKey: kept)
      return made
    }
  }
}

extension QueryClient.Configuration {
  /// Counts and measures the events of the cache.
  ///
  /// - Parameter metrics: The metrics.
  public mutating func measure(with metrics: QueryMetrics = QueryMetrics()) {
    eventReceivers.append(
      EventReceiver(hits: { metrics.record(hits: $1, of: $0) }) { metrics.record($0) }
    )
    fetchCompanions.append(metrics)
  }
}
