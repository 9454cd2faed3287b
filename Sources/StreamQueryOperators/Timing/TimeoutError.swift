/// An element took longer than `timeout` allows.
public struct TimeoutError: Error, Hashable, Sendable {
  /// The time that the consumer was ready to wait.
  public let limit: Duration

  /// Creates the error.
  ///
  /// - Parameter limit: The time that the consumer was ready to wait.
  public init(limit: Duration) {
    self.limit = limit
  }
}
