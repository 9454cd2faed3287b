extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Lets an element through once no newer one has come for an interval.
  ///
  /// For input that changes in bursts, such as a search field: the server is asked only for the text
  /// at which the user paused.
  ///
  /// ```swift
  /// searchText
  ///   .debounce(for: .milliseconds(300))
  ///   .switchToLatest { client.stream(.search($0)) }
  /// ```
  ///
  /// - Finish: a waiting element is let through at once, then the sequence ends.
  /// - Failure: the same, then the failure is thrown.
  /// - Cancellation: the sequence ends with `nil`; a waiting element is dropped.
  /// - Buffering: this sequence's elements are asked for without pause in one task. The newest
  ///   waits for its interval; one that is through waits for the consumer, and a newer one replaces
  ///   it.
  ///
  /// An element that comes exactly when the interval of the one before ends does not replace it.
  ///
  /// - Parameters:
  ///   - interval: How long the pause must be. Zero or less lets everything through; with more than 100
  ///     years, only the last element comes, at the end.
  ///   - clock: What the interval is measured on; `nil` is the clock of `Scheduling.current` when the
  ///     iteration starts.
  /// - Returns: A sequence of the elements before each pause.
  public func debounce(
    for interval: Duration,
    clock: (any Clock<Duration>)? = nil
  ) -> ErasedSequence<Element, Failure> {
    OperatorDefinition(
      machine: DebounceMachine(interval: Interval(clamping: interval)),
      sources: [OperatorDefinition.source(self, element: { $0 }, failure: { $0 })],
      clock: clock
    ).sequence
  }
}
