public import StreamQuery

// The policies of subscriptions under the names of appearances: see *Appearance, errors and previews*.
extension Query {
  /// Whether an appearing view refetches cached data; the same as `refetchOnSubscribe(_:)`.
  ///
  /// Each appearance of a `QueryView`, or of a view with `.attach(_:)` or `.query(_:_:)`, is a subscription.
  /// A plain wrapper subscribes once for the life of its view's state, unless `queryObservation(_:)` around
  /// it sets another period.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }
  ///   .refetchOnAppear(.when { $0.age.map { $0 > .minutes(1) } ?? true })
  /// ```
  ///
  /// - Parameter policy: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnAppear(_ policy: RefetchPolicy) -> Self { refetchOnSubscribe(policy) }
}
