/// Which errors of a query leave the stream, for a boundary to handle, instead of staying inline.
///
/// The core stores the policy with the query; the `throwing` operator and UI adapters act on it.
public struct ThrowPolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  private enum Rule: Sendable {
    case error(@Sendable (any Error) -> Bool)
    case errorAndQuery(@Sendable (any Error, QueryInfo) -> Bool)
  }

  private let rule: Rule

  private init(rule: Rule) {
    self.rule = rule
  }

  /// `true` throws every error, `false` none.
  ///
  /// - Parameter value: Whether to throw.
  public init(booleanLiteral value: Bool) {
    self.init(rule: .error { _ in value })
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
    ThrowPolicy(rule: .error(predicate))
  }

  /// Some errors of some queries are thrown.
  ///
  /// ```swift
  /// // Only where there is nothing to show.
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .throwOnError(.when { _, info in info.data == nil })
  /// ```
  ///
  /// - Parameter predicate: Whether to throw an error of a query; gets the query's present state.
  /// - Returns: The policy.
  public static func when(
    _ predicate: @escaping @Sendable (any Error, QueryInfo) -> Bool
  ) -> Self {
    ThrowPolicy(rule: .errorAndQuery(predicate))
  }

  /// Whether the policy throws an error of a query.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - info: The query's state, evaluated only by a policy that asks for it; without one, such a
  ///     policy throws nothing.
  /// - Returns: Whether to throw it.
  public func shouldThrow(
    _ error: any Error,
    of info: @autoclosure () -> QueryInfo? = nil
  ) -> Bool {
    switch rule {
    case .error(let decides): decides(error)
    case .errorAndQuery(let decides): info().map { decides(error, $0) } ?? false
    }
  }
}
