/// Data for an entry that has none, already obtained outside the lock.
struct InitialData: Sendable {
  let box: ValueBox
  /// When it was current, in seconds since the reference date; `nil` means now.
  let updatedAt: Double?
  /// The query that brings it.
  let query: StoredQuery

  /// The beginning of an entry that starts with this data.
  func beginning(at now: Timestamp) -> Beginning {
    Beginning(query: query, time: updatedAt.map(now.placing(date:)) ?? now)
  }
}
