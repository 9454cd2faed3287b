extension EntryMachine {
  /// What the fetch is doing.
  @inline(__always)
  var fetchStatus: FetchStatus { isPaused ? .paused : isFetching ? .fetching : .idle }

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
      fetchStatus: fetchStatus,
      isInvalidated: isInvalidated,
      cause: cause,
      part: part
    )
  }
}
