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
  /// The state of the fetch.
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
