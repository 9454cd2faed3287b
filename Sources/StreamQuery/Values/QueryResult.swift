#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One snapshot of a query, as one observer sees it.
///
/// Status and fetch status are independent: data may be shown while it is refreshed, and a first
/// fetch may be pending while nothing runs because the device is offline.
///
/// ```swift
/// switch result.phase {
/// case .pending: show(spinner)
/// case .success(let user): show(user, refreshing: result.isFetching)
/// case .failure(let error, let lastGood): show(error, keeping: lastGood)
/// }
/// ```
///
/// A result is a small value: reading a flag costs nothing, copying a result costs one retain. It
/// is not Equatable because errors are not; compare ``data`` or use `changes(of:)`.
public struct QueryResult<Value: Sendable>: Sendable, _FreeOfActors {
  /// The state of a result, for a `switch` in a view.
  public enum Phase: Sendable {
    /// No data yet.
    case pending
    /// Data; ``QueryResult/isFetching`` says whether it is being refreshed.
    case success(Value)
    /// The last fetch failed; older data is kept.
    case failure(any Error, lastGood: Value?)
  }

  package let snapshot: EntrySnapshot
  package let flags: QueryFlags

  package init(snapshot: EntrySnapshot, flags: QueryFlags) {
    self.snapshot = snapshot
    self.flags = flags
  }

  /// The state of the result, for a `switch` in a view.
  public var phase: Phase {
    if let error = snapshot.error {
      .failure(error.error, lastGood: data)
    } else if let data {
      .success(data)
    } else {
      .pending
    }
  }

  /// The newest data: fetched, written, or a placeholder.
  public var data: Value? { snapshot.data?.value(as: Value.self) }

  /// The error of the last fetch; `nil` after a success, and while the first fetch is being
  /// retried.
  public var error: (any Error)? { snapshot.error?.error }

  /// Whether there is data, an error, or nothing yet.
  public var status: QueryStatus { snapshot.status }

  /// The state of the fetch.
  public var fetchStatus: FetchStatus { snapshot.fetchStatus }

  /// The date when the data was fetched or written; `nil` without data and for placeholders.
  public var dataUpdatedAt: Date? { date(snapshot.dataUpdatedAt) }

  /// The date when a fetch last failed; `nil` if none ever did.
  ///
  /// A success or a write keeps this date, and ``errorUpdateCount`` too, as in TanStack Query 5: both
  /// describe the past, so that a view can say that a server has trouble although it shows data. ``error``
  /// says whether the last fetch failed; a success clears it. A reset or a removal clears all.
  public var errorUpdatedAt: Date? { date(snapshot.errorUpdatedAt) }

  /// The number of fetches that failed for good.
  public var errorUpdateCount: Int { snapshot.errorUpdateCount }

  /// The number of failed attempts of the running fetch, or of the last one if it failed; 0 after a
  /// success.
  public var failureCount: Int { snapshot.failureCount }

  /// The error of the newest attempt; `nil` after a success.
  public var failureReason: (any Error)? { snapshot.failureReason?.error }

  /// The reason for the running fetch, or for the last one if none is running.
  public var cause: FetchCause? { snapshot.cause }

  /// Whether the data is stale for this observer; `false` for a disabled one.
  public var isStale: Bool { flags.contains(.stale) }

  /// Whether ``data`` is a placeholder that was never cached.
  public var isPlaceholderData: Bool { flags.contains(.placeholder) && snapshot.showsPlaceholder }

  /// Whether a mutation shows changes that the server has not confirmed yet.
  public var isOptimistic: Bool { snapshot.isOptimistic }

  /// Whether a fetch or write has settled since this observer subscribed.
  public var isFetchedSinceSubscribing: Bool { flags.contains(.fetchedSinceSubscribing) }

  /// Whether the query fetches automatically for this observer.
  public var isEnabled: Bool { flags.contains(.enabled) }

  /// Whether the client does not know yet if a store has data for the query.
  ///
  /// Until then the query does not fetch by itself, and ``isEnabled`` is `false`. For queries that are not
  /// persisted, this is `false`.
  public var isRestoring: Bool { flags.contains(.restoring) }

  /// Whether there is no data yet, and no final error.
  public var isPending: Bool { status == .pending }

  /// Whether there is data and the last fetch or write succeeded.
  public var isSuccess: Bool { status == .success }

  /// Whether the last fetch failed.
  public var isError: Bool { status == .error }

  /// Whether a fetch is running or waiting for its next attempt.
  public var isFetching: Bool { fetchStatus == .fetching }

  /// Whether a fetch is waiting for the network or the app.
  public var isPaused: Bool { fetchStatus == .paused }

  /// Whether the first fetch is running: pending and fetching.
  public var isLoading: Bool { isPending && isFetching }

  /// Whether the data is being refreshed: fetching, not pending, and not adding a page.
  public var isRefetching: Bool { isFetching && !isPending && snapshot.part == .whole }

  /// Whether the first fetch failed: an error without data.
  public var isLoadingError: Bool { isError && snapshot.data == nil }

  /// Whether a refresh failed: an error in addition to data, and not from adding a page.
  public var isRefetchError: Bool { isError && snapshot.data != nil && snapshot.part == .whole }

  /// Whether a fetch or write has ever settled.
  public var isFetched: Bool { snapshot.dataUpdateCount + snapshot.errorUpdateCount > 0 }

  private func date(_ timestamp: Timestamp) -> Date? {
    timestamp.date == -.infinity
      ? nil : Date(timeIntervalSinceReferenceDate: timestamp.date)
  }
}

/// The status of a query: data, an error, or nothing yet.
public enum QueryStatus: String, Hashable, Codable, Sendable {
  /// No data yet, and no final error.
  case pending
  /// Data, and the last fetch or write succeeded.
  case success
  /// The last fetch failed; there may be older data.
  case error
}

/// The state of a query's fetch, regardless of its ``QueryStatus``.
public enum FetchStatus: String, Hashable, Codable, Sendable {
  /// No fetch runs.
  case idle
  /// The fetch runs, or waits for its next attempt.
  case fetching
  /// The fetch waits for the network or the app to come back.
  case paused
}
