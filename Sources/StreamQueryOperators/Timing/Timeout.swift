extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Fails when the consumer waits too long for an element.
  ///
  /// Time counts from the moment at which the consumer asks for the element, so a slow consumer causes no
  /// timeout.
  ///
  /// ```swift
  /// for try await price in prices.timeout(after: .seconds(10)) { show(price) }
  /// ```
  ///
  /// - Finish: when this sequence finishes.
  /// - Failure: `TimeoutError`; this sequence is then cancelled.
  /// - Cancellation: the sequence ends with `nil`.
  /// - Buffering: none. One task asks this sequence for an element when the consumer asks for one.
  ///
  /// An element that comes at the exact limit is late.
  ///
  /// - Parameters:
  ///   - limit: The time for which the consumer waits for one element. With zero or less, every wait fails;
  ///     with more than 100 years, none does.
  ///   - clock: The clock that measures the limit; `nil` means the clock of `Scheduling.current` at the start
  ///     of the iteration.
  /// - Returns: A sequence of the same elements that fails when one takes too long.
  public func timeout(
    after limit: Duration,
    clock: (any Clock<Duration>)? = nil
  ) -> ErasedSequence<Element, TimeoutError> {
    typealias Definition = OperatorDefinition<TimeoutMachine, Element, TimeoutError>
    return Definition(
      machine: TimeoutMachine(limit: Interval(clamping: limit)),
      sources: [Definition.source(self, element: { $0 }, failure: Definition.impossible)],
      clock: clock,
      timeOutFailure: TimeoutError(limit: limit)
    ).sequence
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Fails when the consumer waits too long for an element.
  ///
  /// Time counts from the moment at which the consumer asks for the element, so a slow consumer causes no
  /// timeout.
  ///
  /// ```swift
  /// for try await price in prices.timeout(after: .seconds(10)) { show(price) }
  /// ```
  ///
  /// - Finish: when this sequence finishes.
  /// - Failure: `TimeoutError`, after which this sequence is cancelled; or this sequence's own failure.
  /// - Cancellation: the sequence ends with `nil`.
  /// - Buffering: none. One task asks this sequence for an element when the consumer asks for one.
  ///
  /// An element that comes at the exact limit is late.
  ///
  /// - Parameters:
  ///   - limit: The time for which the consumer waits for one element. With zero or less, every wait fails;
  ///     with more than 100 years, none does.
  ///   - clock: The clock that measures the limit; `nil` means the clock of `Scheduling.current` at the start
  ///     of the iteration.
  /// - Returns: A sequence of the same elements that fails when one takes too long.
  public func timeout(
    after limit: Duration,
    clock: (any Clock<Duration>)? = nil
  ) -> ErasedSequence<Element, any Error> {
    typealias Definition = OperatorDefinition<TimeoutMachine, Element, any Error>
    return Definition(
      machine: TimeoutMachine(limit: Interval(clamping: limit)),
      sources: [Definition.source(self, element: { $0 }, failure: { $0 })],
      clock: clock,
      timeOutFailure: TimeoutError(limit: limit)
    ).sequence
  }
}
