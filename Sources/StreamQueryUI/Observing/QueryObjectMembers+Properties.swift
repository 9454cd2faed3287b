#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import StreamQuery

// The shown result. Each property is tracked separately.
extension _QueryObjectMembers {
  /// The whole result; a reader is told of every change.
  public var result: QueryResult<Value> { read(.result) { $0 } }

  /// The state of the result, for a `switch` in a view.
  ///
  /// A reader is told of changes of data and error.
  public var phase: QueryResult<Value>.Phase {
    noteRead(of: .data)
    return read(.error) { $0.phase }
  }

  /// The newest data: fetched, written, that of the former key, or a placeholder.
  public var data: Value? {
    // `read` is not used here, because it would look up the type of an optional value, and most views read
    // the data.
    noteRead(of: .data)
    return shownData
  }
  /// The error of the last fetch; `nil` after a success.
  public var error: (any Error)? { read(.error) { $0.error } }
  /// Whether the result has data, an error, or neither yet.
  public var status: QueryStatus { read(.status) { $0.status } }
  /// The state of the fetch.
  public var fetchStatus: FetchStatus { read(.fetchStatus) { $0.fetchStatus } }
  /// Whether there is neither data nor a final error yet.
  public var isPending: Bool { read(.isPending) { $0.isPending } }
  /// Whether there is data and the last fetch or write succeeded.
  public var isSuccess: Bool { read(.isSuccess) { $0.isSuccess } }
  /// Whether the last fetch failed.
  public var isError: Bool { read(.isError) { $0.isError } }
  /// Whether a fetch is running or waiting for its next attempt.
  public var isFetching: Bool { read(.isFetching) { $0.isFetching } }
  /// Whether a fetch is waiting for the network or the app.
  public var isPaused: Bool { read(.isPaused) { $0.isPaused } }
  /// Whether the first fetch is running: there is no data yet, and a fetch runs.
  public var isLoading: Bool { read(.isLoading) { $0.isLoading } }
  /// Whether the whole data is being fetched again.
  public var isRefetching: Bool { read(.isRefetching) { $0.isRefetching } }
  /// Whether the first fetch has failed: there is an error and no data.
  public var isLoadingError: Bool { read(.isLoadingError) { $0.isLoadingError } }
  /// Whether a refetch has failed: there is an error, and data from before.
  public var isRefetchError: Bool { read(.isRefetchError) { $0.isRefetchError } }
  /// Whether any fetch or write has ended so far.
  public var isFetched: Bool { read(.isFetched) { $0.isFetched } }
  /// Whether a fetch or write has ended since the observation began.
  public var isFetchedSinceSubscribing: Bool {
    read(.isFetchedSinceSubscribing) { $0.isFetchedSinceSubscribing }
  }
  /// Whether the data is stale for this observer; `false` if the observer is disabled.
  public var isStale: Bool { read(.isStale) { $0.isStale } }
  /// Whether the query fetches by itself for this observer.
  public var isEnabled: Bool { read(.isEnabled) { $0.isEnabled } }
  /// Whether the data is a placeholder, or that of the former key.
  public var isPlaceholderData: Bool { read(.isPlaceholderData) { $0.isPlaceholderData } }
  /// Whether the data has changes of a mutation that the server has not confirmed yet.
  public var isOptimistic: Bool { read(.isOptimistic) { $0.isOptimistic } }
  /// Whether the query still waits to know if a store has data for it; it does not fetch before that.
  public var isRestoring: Bool { read(.isRestoring) { $0.isRestoring } }
  /// The date when the data was fetched or written.
  public var dataUpdatedAt: Date? { read(.dataUpdatedAt) { $0.dataUpdatedAt } }
  /// The date when a fetch last failed; `nil` if none ever did.
  public var errorUpdatedAt: Date? { read(.errorUpdatedAt) { $0.errorUpdatedAt } }
  /// The number of fetches that failed after their retries.
  public var errorUpdateCount: Int { read(.errorUpdatedAt) { $0.errorUpdateCount } }
  /// The number of failed attempts of the running fetch, or of the last fetch if it failed; otherwise 0.
  public var failureCount: Int { read(.failureCount) { $0.failureCount } }
  /// The error of the newest attempt; `nil` after a success.
  public var failureReason: (any Error)? { read(.failureReason) { $0.failureReason } }
  /// The reason for the running fetch, or for the last one if none is running.
  public var cause: FetchCause? { read(.cause) { $0.cause } }
}
