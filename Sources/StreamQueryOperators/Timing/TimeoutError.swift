/// The error of `timeout`: the consumer has waited longer for an element than the limit allows.
public struct TimeoutError: Error, Hashable, Sendable {
  /// The time for which the consumer waits at most.
  public let limit: Duration

  /// Creates the error.
  ///
  /// - Parameter limit: The time for which the consumer waits at most.
  public init(limit: Duration) {
    self.limit = limit
  }
}
