/// A closure as a ``QueryFetcher``.
///
/// It has no properties to change, because the closure captures its input.
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
  /// - Throws: The error of the closure.
  public func fetch() async throws -> Output { try await closure() }
}
