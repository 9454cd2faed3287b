/// A closure as a ``QueryFetcher``, where one is asked for.
///
/// It has no input to change: what the closure captures stays as it was.
@MainActor
public final class ClosureFetcher<Output: Sendable>: QueryFetcher {
  private let closure: @Sendable () async throws -> Output

  /// Creates a fetcher.
  ///
  /// - Parameter closure: Fetches the value.
  public init(_ closure: @escaping @Sendable @concurrent () async throws -> Output) {
    self.closure = closure
  }

  /// Calls the closure.
  ///
  /// - Returns: The value.
  /// - Throws: What the closure throws.
  public func fetch() async throws -> Output { try await closure() }
}
