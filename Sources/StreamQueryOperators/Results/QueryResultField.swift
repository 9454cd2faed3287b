/// A property of a result that `changes(of:)` watches.
///
/// A field is not a key path, because a comparison by key paths needs `Equatable` values, and errors and most
/// data are not `Equatable`.
public struct QueryResultField: Hashable, Sendable {
  let bit: UInt32

  /// The data.
  ///
  /// `Equatable` data is compared by value; other data counts as new with each fetch or write.
  public static let data = Self(bit: 1 << 0)
  /// The error of the result; each failure counts as a new one.
  public static let error = Self(bit: 1 << 1)
  /// The status: pending, success or error.
  public static let status = Self(bit: 1 << 2)
  /// The state of the fetch.
  public static let fetchStatus = Self(bit: 1 << 3)
  /// Whether the data is stale for this observer.
  public static let isStale = Self(bit: 1 << 4)
  /// The date when the data was fetched or written.
  public static let dataUpdatedAt = Self(bit: 1 << 5)
  /// The date when a fetch last failed.
  public static let errorUpdatedAt = Self(bit: 1 << 6)
  /// The number of fetches that failed after their retries.
  public static let errorUpdateCount = Self(bit: 1 << 7)
  /// The number of failed attempts of the running fetch.
  public static let failureCount = Self(bit: 1 << 8)
  /// The error of the newest attempt of a fetch.
  public static let failureReason = Self(bit: 1 << 9)
  /// Whether the data is a placeholder.
  public static let isPlaceholderData = Self(bit: 1 << 10)
  /// Whether a fetch or a write has ended since this observer subscribed.
  public static let isFetchedSinceSubscribing = Self(bit: 1 << 11)
  /// Whether the query fetches by itself for this observer.
  public static let isEnabled = Self(bit: 1 << 12)
  /// The reason for the running fetch, or for the last one if none is running.
  public static let cause = Self(bit: 1 << 13)
}
