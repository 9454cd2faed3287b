/// An attempt that a companion runs: `try await perform()`.
///
/// It is a type of its own rather than a closure, because the type of an asynchronous closure depends
/// on the settings of the module in which it is written. A method with such a parameter would match
/// the requirement of a protocol in some modules only.
public struct AccompaniedAttempt<Value: Sendable>: Sendable {
  private let body: @Sendable () async throws -> Value

  /// Creates an attempt, to try a companion in a test.
  ///
  /// - Parameter body: Runs the attempt.
  public init(_ body: @escaping @Sendable () async throws -> Value) {
    self.body = body
  }

  /// Runs the attempt, in the task and with the task-locals of its caller.
  ///
  /// - Returns: What the attempt returned.
  /// - Throws: The attempt's error.
  public func callAsFunction() async throws -> Value {
    try await body()
  }
}
