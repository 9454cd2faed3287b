/// Which errors of a query leave the stream, for a boundary to handle, instead of staying inline.
///
/// The core stores the policy with the query; the `throwing` operator and UI adapters act on it.
public struct ThrowPolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  private let decides: @Sendable (any Error) -> Bool

  private init(decides: @escaping @Sendable (any Error) -> Bool) {
    self.decides = decides
  }

  /// `true` throws every error, `false` none.
  ///
  /// - Parameter value: Whether to throw.
  public init(booleanLiteral value: Bool) {
    self.init { _ in value }
  }

  /// Every error stays inline; the default.
  public static var never: Self { false }

  /// Every error is thrown.
  public static var always: Self { true }

  /// Some errors are thrown.
  ///
  /// - Parameter predicate: Whether to throw an error.
  /// - Returns: The policy.
  public static func when(_ predicate: @escaping @Sendable (any Error) -> Bool) -> Self {
    ThrowPolicy(decides: predicate)
  }

  /// Whether the policy throws an error.
  ///
  /// - Parameter error: The error.
  /// - Returns: Whether to throw it.
  public func shouldThrow(_ error: any Error) -> Bool {
    decides(error)
  }
}
