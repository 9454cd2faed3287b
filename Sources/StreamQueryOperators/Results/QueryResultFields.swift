@_spi(Adapters) internal import StreamQuery

/// A set of fields in one number, so that results are compared quickly.
@usableFromInline
struct QueryResultFields: Sendable {
  private let bits: UInt32

  @usableFromInline
  init(_ fields: [QueryResultField]) {
    bits = fields.reduce(0) { $0 | $1.bit }
  }

  /// Returns whether two results differ in one of the fields.
  func differ<Value>(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    let (a, b) = (old.snapshot, new.snapshot)
    // If snapshot and flags are the same, the results are, too.
    guard a !== b || old.flags != new.flags else { return false }
    return has(.status) && a.status != b.status
      || has(.fetchStatus) && a.fetchStatus != b.fetchStatus
      || has(.error) && a.error !== b.error
      || has(.isStale) && old.isStale != new.isStale
      || has(.dataUpdatedAt) && a.dataUpdatedAt != b.dataUpdatedAt
      || has(.errorUpdatedAt) && a.errorUpdatedAt != b.errorUpdatedAt
      || has(.errorUpdateCount) && a.errorUpdateCount != b.errorUpdateCount
      || has(.failureCount) && a.failureCount != b.failureCount
      || has(.failureReason) && a.failureReason !== b.failureReason
      || has(.isPlaceholderData) && old.isPlaceholderData != new.isPlaceholderData
      || has(.isFetchedSinceSubscribing)
        && old.isFetchedSinceSubscribing != new.isFetchedSinceSubscribing
      || has(.isEnabled) && old.isEnabled != new.isEnabled
      || has(.cause) && a.cause != b.cause
      || has(.data) && !old.hasSameData(as: new)
  }

  private func has(_ field: QueryResultField) -> Bool {
    bits & field.bit != 0
  }
}
