/// Data for an entry that has none, already obtained outside the lock.
struct InitialData: Sendable {
  let box: ValueBox
  /// When it was current, in seconds since the reference date; `nil` means now.
  let updatedAt: Double?
  /// Whether it was invalidated before it was kept.
  var isInvalidated = false
  /// What it was obtained from.
  let source: StoredInitialData

  /// The beginning of an entry that starts with this data.
  func beginning(at now: Timestamp) -> Beginning {
    Beginning(source: source, time: updatedAt.map(now.placing(date:)) ?? now)
  }
}
