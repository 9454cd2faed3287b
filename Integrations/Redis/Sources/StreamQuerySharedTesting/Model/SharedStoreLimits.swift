/// The limits of a ``SharedStoreModel``.
public struct SharedStoreLimits: Hashable, Sendable {
  /// The maximum number of bytes of the text of a key or a mark.
  public var keyBytes: Int
  /// The maximum number of bytes of a value.
  public var valueBytes: Int
  /// The number of messages that the log keeps.
  public var logLength: Int
  /// The maximum number of messages that one read of the log returns.
  public var batchLength: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - keyBytes: The maximum number of bytes of the text of a key or a mark.
  ///   - valueBytes: The maximum number of bytes of a value.
  ///   - logLength: The number of messages that the log keeps.
  ///   - batchLength: The maximum number of messages that one read of the log returns.
  public init(
    keyBytes: Int = 4096,
    valueBytes: Int = 1 << 20,
    logLength: Int = 10_000,
    batchLength: Int = 1000
  ) {
    self.keyBytes = keyBytes
    self.valueBytes = valueBytes
    self.logLength = logLength
    self.batchLength = batchLength
  }
}
