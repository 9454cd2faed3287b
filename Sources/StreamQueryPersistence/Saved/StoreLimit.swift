/// The limit of a client's data in a store, beyond which records are removed.
///
/// Data without a limit of age, see ``Persistence/unlimited``, is removed after all other data.
public struct StoreLimit: Hashable, Sendable {
  /// The order in which records are removed.
  public enum Order: Hashable, Sendable {
    /// The record with the oldest data is removed first.
    case oldestFirst
    /// The record with the earliest last use is removed first.
    ///
    /// Records that were not used since the launch are removed first, oldest data first. Records of cached
    /// entries come after all others, in the order in which they were restored or saved. Records of observed
    /// entries come last.
    case leastRecentlyUsedFirst
  }

  /// The maximum number of records.
  public var maxRecords: Int
  /// The maximum number of bytes of values and keys; the store may have less room, see
  /// ``QueryStore/byteLimit``.
  public var maxBytes: Int
  /// The order in which records are removed.
  public var order: Order

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRecords: The maximum number of records; a negative number counts as 0.
  ///   - maxBytes: The maximum number of bytes of values and keys; a negative number counts as 0.
  ///   - order: The order in which records are removed.
  public init(
    maxRecords: Int = 10_000,
    maxBytes: Int = 20_000_000,
    order: Order = .oldestFirst
  ) {
    self.maxRecords = max(0, maxRecords)
    self.maxBytes = max(0, maxBytes)
    self.order = order
  }
}
