/// The errors of a query that a stream throws to an error boundary, instead of showing them in its
/// results.
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

  /// Every error stays in the results; the default.
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
  /// let user = Query("users", id) { try await api.user(id) }
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

/// How long later callers get the failure of a fetch, and do not fetch themselves.
///
/// ```swift
/// let user = Query("users", id) { try await api.user(id) }
///   .cachesFailures(.when { $0 is AuthError ? .minutes(1) : nil })
/// ```
public struct FailureCaching: Sendable, _FreeOfActors, ExpressibleByDuration {
  /// Returns how long the failure with an error is cached; `nil` if it is not cached.
  let duration: @Sendable (any Error) -> Duration?
  /// Whether failures are not cached, and callers of this query ignore a cached failure of another query of
  /// the key.
  let isOff: Bool

  private init(isOff: Bool = false, duration: @escaping @Sendable (any Error) -> Duration?) {
    self.duration = duration
    self.isOff = isOff
  }

  /// Caches every failure for a time; a plain `.seconds(5)` does the same.
  ///
  /// - Parameter duration: How long; with zero or less, no failure is cached.
  public init(_ duration: Duration) {
    self.init { _ in duration }
  }

  /// Caches no failure, and callers ignore a cached failure of another query of the key; the default.
  public static var off: Self { FailureCaching(isOff: true) { _ in nil } }

  /// Caches each failure for a time that depends on the error.
  ///
  /// The closure is called once when a fetch has failed for good, outside the cache's lock; it must be
  /// quick.
  ///
  /// - Parameter duration: How long; with `nil`, zero or less, the failure is not cached. More than 100
  ///   years means until somebody asks for a new answer.
  /// - Returns: The caching.
  public static func when(_ duration: @escaping @Sendable (any Error) -> Duration?) -> Self {
    FailureCaching(duration: duration)
  }

  /// The time for which the failure with an error is cached; `nil` if it is not cached.
  ///
  /// This runs user code, so do not call it under the lock.
  func span(of error: any Error) -> TimeSpan? {
    guard let span = duration(error).map(TimeSpan.init), span > .zero else { return nil }
    return span
  }
}
