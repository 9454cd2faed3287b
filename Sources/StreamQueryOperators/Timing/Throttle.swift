extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Lets at most one element through per interval.
  ///
  /// Use it for triggers that fire too often: with `.both`, the first one takes effect at once and
  /// the last one is not lost.
  ///
  /// ```swift
  /// let ticks = prices.throttle(for: .seconds(1))
  /// ```
  ///
  /// A window opens with an element that comes outside one. An element that a window lets through
  /// at its end opens the next one, so two elements are never closer than the interval.
  ///
  /// - Finish: a waiting element is let through at once, then the sequence ends.
  /// - Failure: likewise; then the failure is thrown.
  /// - Cancellation: the sequence ends with `nil`; a waiting element is dropped.
  /// - Buffering: this sequence's elements are asked for without pause in one task. The newest
  ///   element of a window waits for its end. An element that passed waits for the consumer, and a
  ///   newer one replaces it.
  ///
  /// - Parameters:
  ///   - interval: The length of a window. Zero or less lets every element through; more than 100
  ///     years never ends.
  ///   - edges: The elements of a window that are let through.
  ///   - clock: The clock of the interval; `nil` is the clock of `Scheduling.current` when the
  ///     iteration starts.
  /// - Returns: A sequence of the elements that were let through.
  public func throttle(
    for interval: Duration,
    edges: ThrottleEdges = .both,
    clock: (any Clock<Duration>)? = nil
  ) -> ErasedSequence<Element, Failure> {
    OperatorDefinition(
      machine: ThrottleMachine(interval: Interval(clamping: interval), edges: edges),
      sources: [OperatorDefinition.source(self, element: { $0 }, failure: { $0 })],
      clock: clock
    ).sequence
  }
}
