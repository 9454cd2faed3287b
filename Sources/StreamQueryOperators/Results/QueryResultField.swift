internal import StreamQuery

/// A property of a result that `changes(of:)` may watch.
///
/// Values rather than key paths, since errors and most data are not `Equatable`.
public struct QueryResultField: Hashable, Sendable {
  let bit: UInt32

  /// The data.
  ///
  /// `Equatable` data is compared by value; all else is new with each fetch or write.
  public static let data = Self(bit: 1 << 0)
  /// The error that is shown; each failure is a new one.
  public static let error = Self(bit: 1 << 1)
  /// Pending, success or error.
  public static let status = Self(bit: 1 << 2)
  /// What the fetch is doing.
  public static let fetchStatus = Self(bit: 1 << 3)
  /// Whether the data is stale for this observer.
  public static let isStale = Self(bit: 1 << 4)
  /// When the data was fetched or written.
  public static let dataUpdatedAt = Self(bit: 1 << 5)
  /// When a fetch last failed.
  public static let errorUpdatedAt = Self(bit: 1 << 6)
  /// How often a fetch failed for good.
  public static let errorUpdateCount = Self(bit: 1 << 7)
  /// Failed attempts of the running fetch.
  public static let failureCount = Self(bit: 1 << 8)
  /// Why the newest attempt failed.
  public static let failureReason = Self(bit: 1 << 9)
  /// Whether the data is a stand-in.
  public static let isPlaceholderData = Self(bit: 1 << 10)
  /// Whether a fetch or write settled since this observer subscribed.
  public static let isFetchedSinceSubscribing = Self(bit: 1 << 11)
  /// Whether the query fetches by itself for this observer.
  public static let isEnabled = Self(bit: 1 << 12)
  /// Why the running fetch, or else the last one, was started.
  public static let cause = Self(bit: 1 << 13)
}

/// Several fields as one word, so that watching them costs nothing per element.
@usableFromInline
struct QueryResultFields: Sendable {
  private let bits: UInt32

  @usableFromInline
  init(_ fields: [QueryResultField]) {
    bits = fields.reduce(0) { $0 | $1.bit }
  }

  /// Whether any of the fields differs.
  func differ<Value>(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    let (a, b) = (old.frame, new.frame)
    // The same frame under the same flags is the same result.
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
      || has(.data) && dataDiffers(old, new)
  }

  private func has(_ field: QueryResultField) -> Bool {
    bits & field.bit != 0
  }

  private func dataDiffers<Value>(_ old: QueryResult<Value>, _ new: QueryResult<Value>) -> Bool {
    guard old.frame.data !== new.frame.data else { return false }
    guard let oldData = old.data, let newData = new.data else { return true }
    // Asked at run time: a second form for Equatable values would double every overload.
    return Equality.compare(oldData, newData) != true
  }
}
