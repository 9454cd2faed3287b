#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One snapshot of a query, as one observer sees it.
///
/// Status and fetch status are independent: data may be shown while it is refreshed, and a load may
/// be pending while nothing runs because the device is offline.
///
/// ```swift
/// switch result.phase {
/// case .pending: show(spinner)
/// case .success(let user): show(user, refreshing: result.isFetching)
/// case .failure(let error, let lastGood): show(error, keeping: lastGood)
/// }
/// ```
///
/// A result is a small value: reading a flag costs nothing, copying it one retain. It is not
/// Equatable, since errors are not; compare ``data`` or use `changes(of:)`.
public struct QueryResult<Value: Sendable>: Sendable, _FreeOfActors {
  /// What most views switch over.
  public enum Phase: Sendable {
    /// No data yet.
    case pending
    /// Data; ``QueryResult/isFetching`` says whether it is being refreshed.
    case success(Value)
    /// The last fetch failed; older data is kept.
    case failure(any Error, lastGood: Value?)
  }

  package let frame: Frame
  package let flags: QueryFlags

  package init(frame: Frame, flags: QueryFlags) {
    self.frame = frame
    self.flags = flags
  }

  /// The state in the form that most views switch over.
  public var phase: Phase {
    if let error = frame.error {
      .failure(error.error, lastGood: data)
    } else if let data {
      .success(data)
    } else {
      .pending
    }
  }

  /// The newest data: fetched, written, or a placeholder.
  public var data: Value? { frame.data?.value(as: Value.self) }

  /// Why the last fetch failed; `nil` after a success, and while a first load is tried again.
  public var error: (any Error)? { frame.error?.error }

  /// Whether there is data, an error, or nothing yet.
  public var status: QueryStatus { frame.status }

  /// What the fetch is doing.
  public var fetchStatus: FetchStatus { frame.fetchStatus }

  /// When the data was fetched or written; `nil` without data and for placeholders.
  public var dataUpdatedAt: Date? { date(frame.dataUpdatedAt) }

  /// When a fetch last failed; `nil` if none ever did.
  ///
  /// A success leaves it, as it leaves ``errorUpdateCount``: both are about the past. ``error`` says
  /// whether the last fetch failed. A reset or a removal forgets them.
  public var errorUpdatedAt: Date? { date(frame.errorUpdatedAt) }

  /// How often a fetch failed for good.
  public var errorUpdateCount: Int { frame.errorUpdateCount }

  /// Failed attempts of the running fetch, or of the last one if it failed; 0 after a success.
  public var failureCount: Int { frame.failureCount }

  /// Why the newest attempt failed; `nil` after a success.
  public var failureReason: (any Error)? { frame.failureReason?.error }

  /// Why the running fetch, or else the last one, was started.
  public var cause: FetchCause? { frame.cause }

  /// Whether the data is stale for this observer; `false` for a disabled one.
  public var isStale: Bool { flags.contains(.stale) }

  /// Whether ``data`` is a stand-in that was never cached.
  public var isPlaceholderData: Bool { flags.contains(.placeholder) && frame.showsStandIn }

  /// Whether a mutation lays changes over the data that the server has not confirmed.
  public var isOptimistic: Bool { frame.isOptimistic }

  /// Whether a fetch or write settled since this observer subscribed.
  public var isFetchedSinceSubscribing: Bool { flags.contains(.fetchedSinceSubscribing) }

  /// Whether the query fetches by itself for this observer.
  public var isEnabled: Bool { flags.contains(.enabled) }

  /// No data yet, and no final error.
  public var isPending: Bool { status == .pending }

  /// Data, and the last fetch or write succeeded.
  public var isSuccess: Bool { status == .success }

  /// The last fetch failed.
  public var isError: Bool { status == .error }

  /// A fetch runs or waits for its next attempt.
  public var isFetching: Bool { fetchStatus == .fetching }

  /// A fetch waits for the network or the app.
  public var isPaused: Bool { fetchStatus == .paused }

  /// The first load: pending and fetching.
  public var isLoading: Bool { isPending && isFetching }

  /// A refresh: fetching, not pending, and not a page that is added.
  public var isRefetching: Bool { isFetching && !isPending && frame.direction == nil }

  /// The first load failed: an error without data.
  public var isLoadingError: Bool { isError && frame.data == nil }

  /// A refresh failed: an error beside data, and not that of a page that was to be added.
  public var isRefetchError: Bool { isError && frame.data != nil && frame.direction == nil }

  /// Whether a fetch or write ever settled.
  public var isFetched: Bool { frame.dataUpdateCount + frame.errorUpdateCount > 0 }

  private func date(_ timestamp: Timestamp) -> Date? {
    timestamp.date == -.infinity
      ? nil : Date(timeIntervalSinceReferenceDate: timestamp.date)
  }
}
