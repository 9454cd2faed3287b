/// A function that decides whether a subscription refetches cached data.
///
/// ```swift
/// let inbox = Query("inbox") { try await api.todos() }
///   .refetchOnSubscribe(.when { $0.age.map { $0 > .minutes(1) } ?? true })
/// ```
///
/// It is asked by each subscription, and so by each view that appears, with the entry as it was
/// before. It must be pure and quick. Without data a subscription fetches whatever the answer.
public struct RefetchRule: Sendable, _FreeOfActors {
  let decides: @Sendable (QueryInfo) -> RefetchPolicy

  /// Refetches, even fresh data, if a condition holds.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The rule.
  public static func when(_ condition: @escaping @Sendable () -> Bool) -> Self {
    Self { _ in condition() ? .always : .never }
  }

  /// Refetches, even fresh data, if a condition holds for the query's state.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The rule.
  public static func when(_ condition: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    Self { condition($0) ? .always : .never }
  }

  /// Chooses a policy by the query's state.
  ///
  /// - Parameter policy: Returns the policy for this subscription.
  /// - Returns: The rule.
  public static func dynamic(_ policy: @escaping @Sendable (QueryInfo) -> RefetchPolicy) -> Self {
    Self(decides: policy)
  }
}
