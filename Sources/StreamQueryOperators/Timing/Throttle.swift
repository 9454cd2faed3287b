extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Lets at most one element through per interval.
  ///
  /// Use this for triggers that fire too often: with `.both`, the first one takes effect at once and the last
  /// one is not lost.
  ///
  /// ```swift
  /// let ticks = prices.throttle(for: .seconds(1))
  /// ```
  ///
  /// An element that comes outside of a window opens a window, which lasts for the interval. An element that
  /// passes at the end of a window opens the next window, so two elements are never closer than the interval.
  ///
  /// - Finish: a waiting element is let through at once, and then the sequence ends.
  /// - Failure: a waiting element is let through at once, and then the failure is thrown.
  /// - Cancellation: the sequence ends with `nil`; a waiting element is dropped.
  /// - Buffering: one task asks for this sequence's elements without pause. The newest element of a window
  ///   waits for the window's end. An element that has passed waits for the consumer, and the next one that
  ///   passes replaces it.
  ///
  /// - Parameters:
  ///   - interval: The length of a window. Zero or less lets every element through. With more than 100 years,
  ///     the first window never ends.
  ///   - edges: The elements of a window that are let through.
  ///   - clock: The clock that measures the interval; `nil` means the clock of `Scheduling.current` at the
  ///     start of the iteration.
  /// - Returns: A sequence with the elements that were let through.
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
