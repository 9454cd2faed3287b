/// What a frame tells of an entry beside its data and errors.
struct FrameFacts {
  var dataUpdatedAt = Timestamp.never
  var errorUpdatedAt = Timestamp.never
  var errorUpdateCount = 0
  var dataUpdateCount = 0
  var failureCount = 0
  var fetchStatus = FetchStatus.idle
  var isInvalidated = false
  var cause: FetchCause?
  /// Which page the running fetch adds, or else the last one added.
  var direction: PageDirection?
}
