extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Fails when an element takes too long.
  ///
  /// Time counts from the moment in which the consumer asks for an element, so that a slow consumer
  /// causes no timeout.
  ///
  /// ```swift
  /// for try await price in prices.timeout(after: .seconds(10)) { show(price) }
  /// ```
  ///
  /// - Finish: with this sequence.
  /// - Failure: `TimeoutError`, after which this sequence is cancelled.
  /// - Cancellation: the sequence ends with `nil`.
  /// - Buffering: none. One task asks this sequence for an element when the consumer asks for one.
  ///
  /// An answer that comes exactly at the limit is late.
  ///
  /// - Parameters:
  ///   - limit: How long the consumer waits for one element. Zero or less is always too long; more
  ///     than 100 years never is.
  ///   - clock: The clock of the limit; `nil` is the clock of `Scheduling.current` when the
  ///     iteration starts.
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
  /// Fails when an element takes too long.
  ///
  /// Time counts from the moment in which the consumer asks for an element, so that a slow consumer
  /// causes no timeout.
  ///
  /// ```swift
  /// for try await price in prices.timeout(after: .seconds(10)) { show(price) }
  /// ```
  ///
  /// - Finish: with this sequence.
  /// - Failure: `TimeoutError`, after which this sequence is cancelled, or this sequence's own.
  /// - Cancellation: the sequence ends with `nil`.
  /// - Buffering: none. One task asks this sequence for an element when the consumer asks for one.
  ///
  /// An answer that comes exactly at the limit is late.
  ///
  /// - Parameters:
  ///   - limit: How long the consumer waits for one element. Zero or less is always too long; more
  ///     than 100 years never is.
  ///   - clock: The clock of the limit; `nil` is the clock of `Scheduling.current` when the
  ///     iteration starts.
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
