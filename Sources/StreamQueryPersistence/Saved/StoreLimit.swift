/// How much a client keeps in a store.
///
/// What was kept without a limit of age, see ``Persistence/unlimited``, leaves after all else.
public struct StoreLimit: Hashable, Sendable {
  /// Which records leave first.
  public enum Order: Hashable, Sendable {
    /// Those whose data is the oldest.
    case oldestFirst
    /// Those that were not used for the longest time. What is observed leaves last, before that what the cache has, in
    /// the order in which it was restored or saved; what was not used since the launch counts as used when its data
    /// was current.
    case leastRecentlyUsedFirst
  }

  /// The most records.
  public var maxRecords: Int
  /// The most bytes of values and keys; the store may have room for less, see ``QueryStore/byteLimit``.
  public var maxBytes: Int
  /// Which records leave first.
  public var order: Order

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRecords: The most records; less than 0 is 0.
  ///   - maxBytes: The most bytes of values and keys; less than 0 is 0.
  ///   - order: Which records leave first.
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
