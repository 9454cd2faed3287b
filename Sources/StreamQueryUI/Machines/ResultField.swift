/// A field of a result that a view may read; each field is tracked separately.
///
/// Derived flags are fields of their own, so that a view which reads `isPending` is not drawn again for a
/// failed refetch.
enum ResultField: UInt8, CaseIterable {
  case result, data, error, status, fetchStatus
  case isPending, isSuccess, isError, isFetching, isPaused, isLoading, isRefetching
  case isLoadingError, isRefetchError, isFetched, isFetchedSinceSubscribing
  case isStale, isEnabled, isPlaceholderData, isOptimistic, isRestoring
  /// `errorUpdatedAt` also stands for the number of failures, which changes at the same time, because a set
  /// has room for only 32 fields.
  case dataUpdatedAt, errorUpdatedAt, failureCount, failureReason, cause
  case hasNextPage, hasPreviousPage, isFetchingNextPage, isFetchingPreviousPage
  case isFetchNextPageError, isFetchPreviousPageError
}
