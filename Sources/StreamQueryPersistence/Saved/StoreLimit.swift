/// The limit of a client's data in a store.
///
/// Data without a limit of age, see ``Persistence/unlimited``, leaves after all else.
public struct StoreLimit: Hashable, Sendable {
  /// The order in which records leave.
  public enum Order: Hashable, Sendable {
    /// By the age of the data, from the oldest on.
    case oldestFirst
    /// By the last use, from the longest ago on.
    ///
    /// Observed entries leave last, before them the entries in the cache, in the order in which they were
    /// restored or saved; data that was not used since the launch counts as used when it was current.
    case leastRecentlyUsedFirst
  }

  /// The maximum number of records.
  public var maxRecords: Int
  /// The maximum number of bytes of values and keys; the store may have room for less, see
  /// ``QueryStore/byteLimit``.
  public var maxBytes: Int
  /// The order in which records leave.
  public var order: Order

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRecords: The maximum number of records; less than 0 is 0.
  ///   - maxBytes: The maximum number of bytes of values and keys; less than 0 is 0.
  ///   - order: The order in which records leave.
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
