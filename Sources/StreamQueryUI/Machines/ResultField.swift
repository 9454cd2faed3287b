/// A field of a result that a view may read: each is tracked by itself.
///
/// Derived flags are fields of their own: a view that reads `isPending` is not drawn again for a
/// failure of a refetch.
enum ResultField: UInt8, CaseIterable {
  case result, data, error, status, fetchStatus
  case isPending, isSuccess, isError, isFetching, isPaused, isLoading, isRefetching
  case isLoadingError, isRefetchError, isFetched, isFetchedSinceSubscribing
  case isStale, isEnabled, isPlaceholderData, isOptimistic, isRestoring
  /// `errorUpdatedAt` is the number of failures as well, which changes with it: there is room for 32.
  case dataUpdatedAt, errorUpdatedAt, failureCount, failureReason, cause
  case hasNextPage, hasPreviousPage, isFetchingNextPage, isFetchingPreviousPage
  case isFetchNextPageError, isFetchPreviousPageError
}
