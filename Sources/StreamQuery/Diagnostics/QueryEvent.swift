#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event in the life of an entry or a run, for logs, metrics and developer tools.
///
/// Events come in the order of the transactions that they report. No feature of the library relies
/// on them.
///
/// ```swift
/// for await event in client.events {
///   logger.debug("\(event)")   // fetched ["users", 42] for subscribed in 0.031 seconds
/// }
/// ```
public struct QueryEvent: Sendable, _FreeOfActors, CustomStringConvertible {
  /// The kind of an event.
  public enum Kind: Sendable {
    /// The entry was created.
    case added
    /// The entry was dropped: its retention had passed, there was no room for it, or it was removed.
    case removed(RemovalReason)
    /// An observer was added; `count` observers are there now.
    case observed(count: Int)
    /// An observer left; `count` observers are there now.
    case unobserved(count: Int)
    /// The results that observers see have changed: with the entry, time, or the observers' options.
    ///
    /// The event comes once for each change, not for each observer, and does not wait until an observer
    /// reads. A slow observer may miss a result, and an observer that does not read may cause a second event.
    case observerResultsUpdated
    /// The options of an observer changed: it was updated, or a function of the query's state gave
    /// another answer.
    case observerOptionsUpdated
    /// A fetch began, or waits for the network before it begins.
    case fetchStarted
    /// An attempt failed and will be retried after a wait.
    case attemptFailed(any Error, count: Int, retryAfter: Duration)
    /// The fetch waits for the network or the app.
    case fetchPaused
    /// The fetch continues.
    case fetchResumed
    /// The fetch brought a value, or found that the data is still good.
    case fetchSucceeded
    /// The fetch failed for good.
    case fetchFailed(any Error)
    /// The fetch was cancelled or found nothing to fetch, or another fetch or a write replaced it.
    case fetchCancelled
    /// A value was written.
    case written
    /// A caller or a new observer looked for data in the cache, with this result.
    case lookup(CacheLookup)
    /// A number of callers that waited for a fetch got stale data, because the fetch failed or took long.
    ///
    /// A caller that got stale data at once is reported by ``lookup(_:)``, with ``CacheLookup/staleHit``.
    case servedStale(count: Int)
    /// The entry was invalidated.
    case invalidated
    /// The entry was reset.
    case reset
    /// A run of a mutation took a step; the key is the mutation's.
    case mutation(MutationStep)
    /// A record was not restored from a store, or not written to one; the key is empty if the whole store is
    /// concerned.
    case persistenceFailed(any Error)
    /// Events were lost because the subscriber was slow.
    case eventsDropped(count: Int)
  }

  /// A step of a run of a mutation.
  public enum MutationStep: Sendable {
    /// The run was requested.
    case started
    /// The run waits for its scope, the network or the app.
    case paused
    /// The network and the app allow the run to continue.
    case resumed
    /// An attempt began, after `attempt` failed ones.
    case performing(attempt: Int)
    /// An attempt failed and will be retried after a wait.
    case attemptFailed(any Error, count: Int, retryAfter: Duration)
    /// A durable run failed, and waits for a decision about its error.
    case stopped(any Error)
    /// A callback threw; the run continued as if it had not.
    case callbackFailed(any Error, callback: String)
    /// The run ended with an output.
    case succeeded
    /// The run ended with an error.
    case failed(any Error)
    /// The run was cancelled, or the client was cleared.
    case cancelled

    fileprivate var label: String {
      switch self {
      case .started: "mutating"
      case .paused: "mutation paused"
      case .resumed: "mutation resumed"
      case .performing(let attempt): "performing (attempt \(attempt + 1))"
      case .attemptFailed(let error, let count, let wait):
        "mutation failed \(count) times (\(error)), again after \(wait):"
      case .stopped(let error): "mutation stopped (\(error))"
      case .callbackFailed(let error, let callback): "\(callback) failed (\(error))"
      case .succeeded: "mutated"
      case .failed(let error): "mutation failed (\(error))"
      case .cancelled: "mutation cancelled"
      }
    }
  }

  /// The reason for the end of an entry.
  public enum RemovalReason: String, Hashable, Codable, Sendable {
    /// The entry was unused for the length of its retention.
    case expired
    /// The cache was over its ``CacheLimit``, or memory was short; nobody used the entry at that time.
    case evicted
    /// `remove` selected the entry.
    case removed
    /// `clear` removed all entries.
    case cleared
  }

  /// The number of the event among the client's events.
  public let number: UInt64
  /// The kind of the event.
  public let kind: Kind
  /// The key that the event concerns; empty for ``Kind/eventsDropped(count:)``.
  public let key: AnyQueryKey
  /// The date of the event.
  public let date: Date
  /// The fetch that the event reports; `nil` for other events.
  public internal(set) var fetch: FetchIdentity?
  /// The reason for the fetch that the event reports.
  public let cause: FetchCause?
  /// The duration of the fetch so far, including retries and pauses.
  public let duration: Duration?
  /// Whether the successful fetch kept the data, because it threw ``NotModified``.
  public internal(set) var isNotModified = false
  /// Whether the removed entry stays for its observers, without data; no event reports it as added
  /// again.
  public internal(set) var isKeptEmpty = false
  /// The facts that the query or the mutation carries; for a fetch, those of its ``FetchContext``.
  public internal(set) var meta = QueryMeta()
  /// The type of the store that could not keep or restore a record, and the partition.
  var failedStore: (name: String, partition: String)?
  /// The type of the entry's value: equal keys with different value types are two entries.
  var valueType: (any Any.Type)?

  /// The name of the type of the entry's value, with its module.
  ///
  /// The name is `nil` for ``Kind/eventsDropped(count:)`` and ``Kind/mutation(_:)``.
  public var valueTypeName: String? { valueType.map { String(reflecting: $0) } }

  /// The store that could not keep or restore a record, such as `FileStore, partition main`.
  ///
  /// The text has the store's type and the partition. It is `nil` for events other than
  /// ``Kind/persistenceFailed(_:)``.
  public var store: String? { failedStore.map { "\($0.name), partition \($0.partition)" } }

  /// The type of the ``store`` alone, for logs that must not name an account.
  @_spi(Adapters) public var storeTypeName: String? { failedStore?.name }

  /// A line for a log.
  ///
  /// The line has the key, but only the type of a ``store``, because a partition is often named after an
  /// account.
  @_documentation(visibility: internal)
  public var description: String {
    var line = "\(label) \(key)"
    if let cause { line += " for \(cause.rawValue)" }
    if let duration { line += " in \(duration)" }
    if let failedStore { line += " in \(failedStore.name)" }
    return line
  }

  private var label: String {
    switch kind {
    case .added: "added"
    case .removed(let reason): "removed (\(reason.rawValue))"
    case .observed(let count): "observed (\(count))"
    case .unobserved(let count): "unobserved (\(count))"
    case .observerResultsUpdated: "shown anew"
    case .observerOptionsUpdated: "observed otherwise"
    case .fetchStarted: "fetching"
    case .attemptFailed(let error, let count, let wait):
      "failed \(count) times (\(error)), again after \(wait):"
    case .fetchPaused: "paused"
    case .fetchResumed: "resumed"
    case .fetchSucceeded: isNotModified ? "found unchanged" : "fetched"
    case .fetchFailed(let error): "failed (\(error))"
    case .fetchCancelled: "cancelled"
    case .written: "written"
    case .lookup(let lookup): lookup.label
    case .servedStale(let count): "served stale data to \(count) callers of"
    case .invalidated: "invalidated"
    case .reset: "reset"
    case .mutation(let step): step.label
    case .persistenceFailed(let error): "not persisted (\(error))"
    case .eventsDropped(let count): "missed \(count) events"
    }
  }
}

extension CacheLookup {
  fileprivate var label: String {
    switch self {
    case .hit: "hit"
    case .staleHit: "stale hit"
    case .joined: "joined"
    case .miss: "miss"
    case .failure: "failure found"
    }
  }
}

extension QueryEvent {
  /// Reports that events were lost before another one.
  static func eventsDropped(_ count: Int, before event: QueryEvent) -> QueryEvent {
    QueryEvent(
      number: event.number &- 1,
      kind: .eventsDropped(count: count),
      key: AnyQueryKey(parts: []),
      date: event.date,
      cause: nil,
      duration: nil
    )
  }
}
