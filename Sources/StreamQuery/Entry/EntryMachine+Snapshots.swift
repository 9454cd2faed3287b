extension EntryMachine {
  /// What a snapshot says about the machine.
  // Inlined: the machine is a large value, and a call would copy it.
  @inline(__always)
  var snapshotFacts: SnapshotFacts {
    SnapshotFacts(
      dataUpdatedAt: dataUpdatedAt,
      errorUpdatedAt: errorUpdatedAt,
      errorUpdateCount: errorUpdateCount,
      dataUpdateCount: dataUpdateCount,
      failureCount: failureCount,
      fetchStatus: isPaused ? .paused : isFetching ? .fetching : .idle,
      isInvalidated: isInvalidated,
      cause: cause,
      part: part
    )
  }
}
