extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Follows the stream that belongs to the newest element, and leaves the one before.
  ///
  /// For a query whose key changes: the screen shows the results of the newest key only, and the
  /// request of a key that nobody else observes is given up.
  ///
  /// ```swift
  /// client.stream(.user(email)).compactMap { $0.data?.id }
  ///   .switchToLatest { client.stream(.projects(of: $0)) }
  /// ```
  ///
  /// The new stream is subscribed before the old one is left, so a key that both share never loses
  /// its last observer. Nothing of the old stream is delivered once the new element has come.
  ///
  /// - Finish: when this sequence and the newest stream have finished.
  /// - Failure: a failure of this sequence stops the newest stream and is thrown.
  /// - Cancellation: ends with `nil`; all tasks are cancelled.
  /// - Buffering: none. This sequence's elements are asked for without pause in one task; the
  ///   newest stream has another, and is asked only while the consumer waits.
  ///
  /// - Parameter transform: Makes the stream for an element. Called in a task of its own, once per
  ///   element, in order.
  /// - Returns: A sequence of the newest stream's elements.
  public func switchToLatest<Inner: AsyncSequence & Sendable>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some AsyncSequence<Inner.Element, Failure> & Sendable
  where Inner.Failure == Never, Inner.Element: Sendable {
    typealias Plan = FlowPlan<SwitchMachine, Inner.Element, Failure>
    let outer = Plan.source(
      self,
      opening: { element in
        Plan.source(transform(element), element: { $0 }, failure: Plan.impossible)
      },
      failure: { $0 }
    )
    return FlowSequence(Plan(machine: SwitchMachine(), sources: [outer]))
  }
}
