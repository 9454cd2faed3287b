public import StreamQuery

// In a view, an appearance is a subscription, so policies of subscriptions have a second name here; see the
// article *Appearance, errors and previews*.
extension Query {
  /// Sets whether cached data is refetched when a view appears; the same as `refetchOnSubscribe(_:)`.
  ///
  /// Each appearance of a `QueryView`, or of a view with `.attach(_:)` or `.query(_:_:)`, is a subscription.
  /// A plain wrapper subscribes once for the life of its view's state, unless `queryObservation(_:)` around
  /// the view sets another period.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }
  ///   .refetchOnAppear(.when { $0.age.map { $0 > .minutes(1) } ?? true })
  /// ```
  ///
  /// - Parameter policy: Decides whether the data is refetched.
  /// - Returns: The changed query.
  public func refetchOnAppear(_ policy: RefetchPolicy) -> Self { refetchOnSubscribe(policy) }
}
