/// What a snapshot says about an entry in addition to its data and errors.
struct SnapshotFacts {
  var dataUpdatedAt = Timestamp.never
  var errorUpdatedAt = Timestamp.never
  var errorUpdateCount = 0
  var dataUpdateCount = 0
  var failureCount = 0
  var fetchStatus = FetchStatus.idle
  var isInvalidated = false
  var cause: FetchCause?
  /// What the running fetch fetches, or what the last one fetched.
  var part = FetchPart.whole
}
