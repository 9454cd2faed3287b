public import StreamQuery

// A view subscribes when it appears, so these are the policies of subscriptions under another name.
extension Query {
  /// Whether an appearing view refetches cached data; the same as `refetchOnSubscribe(_:)`.
  ///
  /// - Parameter policy: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnAppear(_ policy: RefetchPolicy) -> Self { refetchOnSubscribe(policy) }

  /// Whether an appearing view refetches cached data, by a condition.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }
  ///   .refetchOnAppear(.when { $0.age.map { $0 > .minutes(1) } ?? true })
  /// ```
  ///
  /// - Parameter rule: Decides for each appearance.
  /// - Returns: The changed query.
  public func refetchOnAppear(_ rule: RefetchRule) -> Self { refetchOnSubscribe(rule) }
}
