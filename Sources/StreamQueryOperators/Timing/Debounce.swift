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
  /// - Finish: a waiting element is let through at once, and then the sequence ends.
  /// - Failure: a waiting element is let through at once, and then the failure is thrown.
  /// - Cancellation: the sequence ends with `nil`; a waiting element is dropped.
  /// - Buffering: one task asks for this sequence's elements without pause. The newest element waits for its
  ///   interval. An element that has passed waits for the consumer, and the next one that passes replaces it.
  ///
  /// If an element comes at the exact end of the earlier one's interval, the earlier one is let through.
  ///
  /// - Parameters:
  ///   - interval: The length of the pause. Zero or less lets every element through. With more than 100
  ///     years, only the last element comes, at the end of this sequence.
  ///   - clock: The clock that measures the interval; `nil` means the clock of `Scheduling.current` at the
  ///     start of the iteration.
  /// - Returns: A sequence with the last element before each pause.
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
