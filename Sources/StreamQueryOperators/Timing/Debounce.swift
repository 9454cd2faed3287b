extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Lets an element through if no newer one comes for an interval.
  ///
  /// Use it for input that changes in bursts, such as a search field: only the text at which the user pauses
  /// is sent to the server.
  ///
  /// ```swift
  /// searchText
  ///   .debounce(for: .milliseconds(300))
  ///   .switchToLatest { client.stream(.search($0)) }
  /// ```
  ///
  /// - Finish: a waiting element is let through at once, then the sequence ends.
  /// - Failure: likewise; then the failure is thrown.
  /// - Cancellation: the sequence ends with `nil`; a waiting element is dropped.
  /// - Buffering: this sequence's elements are asked for without pause in one task. The newest
  ///   element waits for its interval. An element that passed waits for the consumer, and a newer
  ///   one replaces it.
  ///
  /// An element that comes exactly when the interval of the one before ends does not replace it.
  ///
  /// - Parameters:
  ///   - interval: The length of the pause. Zero or less lets every element through; with more than 100
  ///     years, only the last element comes, at the end.
  ///   - clock: The clock of the interval; `nil` is the clock of `Scheduling.current` when the
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
