/// What a ``SharedStoreModel`` takes at most.
public struct SharedStoreLimits: Hashable, Sendable {
  /// How many bytes the text of a key or of a mark has at most.
  public var keyBytes: Int
  /// How many bytes a value has at most.
  public var valueBytes: Int
  /// How many messages the log keeps.
  public var logLength: Int
  /// How many messages one read of the log returns.
  public var batchLength: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - keyBytes: How many bytes the text of a key or of a mark has at most.
  ///   - valueBytes: How many bytes a value has at most.
  ///   - logLength: How many messages the log keeps.
  ///   - batchLength: How many messages one read of the log returns.
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
