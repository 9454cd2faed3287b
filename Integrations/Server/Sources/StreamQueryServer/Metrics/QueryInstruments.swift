import CoreMetrics
import StreamQuery

/// The metrics of a cache, or of the cache's queries with one name.
struct QueryInstruments: Sendable {
  private let lookups: [CacheLookup: Counter]
  private let servedStale: Counter
  private let waits: Timer
  private let succeeded: TimedOutcome
  private let notModified: TimedOutcome
  private let failed: TimedOutcome
  private let cancelled: TimedOutcome
  private let retries: Counter
  private let expired: Counter
  private let evicted: Counter
  private let removed: Counter
  private let cleared: Counter
  private let mutationSucceeded: TimedOutcome
  private let mutationFailed: TimedOutcome
  private let mutationCancelled: TimedOutcome
  private let persistenceFailures: Counter
  private let entries: Meter
  private let fetching: Meter

  init(_ prefix: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
    func counter(_ label: String, _ own: (String, String)? = nil) -> Counter {
      let all = dimensions + (own.map { [$0] } ?? [])
      return Counter(label: "\(prefix).\(label)", dimensions: all, factory: factory)
    }
    func outcome(_ counted: String, _ timed: String, _ outcome: String) -> TimedOutcome {
      let all = dimensions + [("outcome", outcome)]
      return TimedOutcome(
        count: Counter(label: "\(prefix).\(counted)", dimensions: all, factory: factory),
        time: Timer(label: "\(prefix).\(timed).duration", dimensions: all, factory: factory)
      )
    }
    func meter(_ label: String) -> Meter {
      Meter(label: "\(prefix).\(label)", dimensions: dimensions, factory: factory)
    }
    lookups = Dictionary(
      uniqueKeysWithValues: CacheLookup.allCases.map { lookup in
        (lookup, counter("lookups", ("result", lookup.rawValue)))
      }
    )
    servedStale = counter("stale.served")
    waits = Timer(label: "\(prefix).wait.duration", dimensions: dimensions, factory: factory)
    succeeded = outcome("fetches", "fetch", "succeeded")
    notModified = outcome("fetches", "fetch", "notModified")
    failed = outcome("fetches", "fetch", "failed")
    cancelled = outcome("fetches", "fetch", "cancelled")
    retries = counter("fetch.retries")
    expired = counter("removals", ("reason", "expired"))
    evicted = counter("removals", ("reason", "evicted"))
    removed = counter("removals", ("reason", "removed"))
    cleared = counter("removals", ("reason", "cleared"))
    mutationSucceeded = outcome("mutations", "mutation", "succeeded")
    mutationFailed = outcome("mutations", "mutation", "failed")
    mutationCancelled = outcome("mutations", "mutation", "cancelled")
    persistenceFailures = counter("persistence.failures")
    entries = meter("entries")
    fetching = meter("fetching")
  }

  func record(_ event: QueryEvent) {
    switch event.kind {
    case .added: entries.increment()
    case .removed(let reason):
      if !event.isKeptEmpty { entries.decrement() }
      removals(for: reason).increment()
    case .fetchStarted: fetching.increment()
    case .attemptFailed: retries.increment()
    case .fetchSucceeded: ended(event.isNotModified ? notModified : succeeded, event)
    case .fetchFailed: ended(failed, event)
    case .fetchCancelled: ended(cancelled, event)
    case .lookup(let lookup): lookups[lookup]?.increment()
    case .servedStale(let count): servedStale.increment(by: count)
    case .mutation(.succeeded): mutationSucceeded.record(event)
    case .mutation(.failed): mutationFailed.record(event)
    case .mutation(.cancelled): mutationCancelled.record(event)
    case .persistenceFailed: persistenceFailures.increment()
    case .observed, .unobserved, .observerResultsUpdated, .observerOptionsUpdated, .fetchPaused,
      .fetchResumed, .written, .invalidated, .reset, .mutation, .eventsDropped:
      break
    }
  }

  /// Counts lookups that found fresh data.
  func record(hits count: Int) {
    lookups[.hit]?.increment(by: count)
  }

  /// Records how long a caller waited for a fetch.
  func waited(for duration: Duration) {
    waits.recordNanoseconds(duration.inNanoseconds)
  }

  private func ended(_ outcome: TimedOutcome, _ event: QueryEvent) {
    fetching.decrement()
    outcome.record(event)
  }

  private func removals(for reason: QueryEvent.RemovalReason) -> Counter {
    switch reason {
    case .expired: expired
    case .evicted: evicted
    case .removed: removed
    case .cleared: cleared
    }
  }
}

/// The metrics of one outcome of fetches or mutations: their number and their durations.
private struct TimedOutcome: Sendable {
  let count: Counter
  let time: Timer

  func record(_ event: QueryEvent) {
    count.increment()
    if let duration = event.duration { time.recordNanoseconds(duration.inNanoseconds) }
  }
}
