extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Follows the stream of the newest element, and leaves the stream of the previous one.
  ///
  /// Use this for a query that changes its key: the screen shows only results of the newest key, and the
  /// fetch of a key that nobody else observes is cancelled.
  ///
  /// ```swift
  /// client.stream(.user(email)).values().map(\.id)
  ///   .switchToLatest { client.stream(.projects(of: $0)) }
  /// ```
  ///
  /// An element that equals the one before opens no new stream. Elements are compared if their type is
  /// `Equatable`, which is checked at run time. Pass `false` to open a stream for every element, for example
  /// for a search that is submitted again.
  ///
  /// The new stream is subscribed to before the old one is left, so a key that both share does not lose its
  /// last observer. No element of the old stream is delivered after the new element has come.
  ///
  /// - Finish: when this sequence and the newest stream have finished.
  /// - Failure: a failure of this sequence or of the newest stream stops the other one and is thrown. The
  ///   failure of a former stream is ignored.
  /// - Cancellation: ends with `nil`; all tasks are cancelled.
  /// - Buffering: only the last element is stored, for the comparison. One task asks for this sequence's
  ///   elements without pause; another task asks the newest stream for elements, but only while the consumer
  ///   waits.
  ///
  /// - Parameters:
  ///   - removingDuplicates: Whether an element that equals the one before is omitted.
  ///   - transform: Makes the stream for an element. Called in a task, once per element, in order.
  /// - Returns: A sequence of the newest stream's elements.
  public func switchToLatest<Inner: AsyncSequence & Sendable>(
    removingDuplicates: Bool = true,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> ErasedSequence<Inner.Element, Failure>
  where Inner.Failure == Failure, Inner.Element: Sendable {
    switching(
      to: transform,
      removingDuplicates: removingDuplicates,
      outerFailure: { $0 },
      innerFailure: { $0 }
    )
  }

  /// Follows the stream of the newest element, if streams cannot fail.
  ///
  /// A failure of this sequence stops the newest stream and is thrown.
  ///
  /// - Parameters:
  ///   - removingDuplicates: Whether an element that equals the one before is omitted.
  ///   - transform: Makes the stream for an element.
  /// - Returns: A sequence of the newest stream's elements.
  @_disfavoredOverload
  public func switchToLatest<Inner: AsyncSequence & Sendable>(
    removingDuplicates: Bool = true,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> ErasedSequence<Inner.Element, Failure>
  where Inner.Failure == Never, Inner.Element: Sendable {
    switching(
      to: transform,
      removingDuplicates: removingDuplicates,
      outerFailure: { $0 },
      innerFailure: OperatorDefinition<SwitchMachine, Inner.Element, Failure>.impossible
    )
  }

  /// Follows the stream of the newest element, if this sequence and the streams have different types of
  /// failures.
  ///
  /// The returned sequence behaves as if all had one failure type, except that it may throw any error.
  ///
  /// - Parameters:
  ///   - removingDuplicates: Whether an element that equals the one before is omitted.
  ///   - transform: Makes the stream for an element.
  /// - Returns: A sequence of the newest stream's elements.
  @_disfavoredOverload
  public func switchToLatest<Inner: AsyncSequence & Sendable>(
    removingDuplicates: Bool = true,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> ErasedSequence<Inner.Element, any Error> where Inner.Element: Sendable {
    switching(
      to: transform,
      removingDuplicates: removingDuplicates,
      outerFailure: { $0 as any Error },
      innerFailure: { $0 as any Error }
    )
  }

  /// Switches between the streams that a closure makes from this sequence's elements; the basis of all forms
  /// above.
  func switching<Inner: AsyncSequence & Sendable, Thrown: Error>(
    to transform: @escaping @Sendable (Element) -> Inner,
    removingDuplicates: Bool,
    ending: SwitchMachine.Ending = .withBoth,
    outerFailure: @escaping @Sendable (Failure) -> Thrown,
    innerFailure: @escaping @Sendable (Inner.Failure) -> Thrown
  ) -> ErasedSequence<Inner.Element, Thrown> where Inner.Element: Sendable {
    typealias Definition = OperatorDefinition<SwitchMachine, Inner.Element, Thrown>
    let outer = Definition.source(
      ResultSequence(self, DistinctStep(removesDuplicates: removingDuplicates)),
      opening: { Definition.source(transform($0), element: { $0 }, failure: innerFailure) },
      failure: outerFailure
    )
    return Definition(machine: SwitchMachine(ending: ending), sources: [outer]).sequence
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Follows the stream of the newest element, if streams can fail but this sequence cannot.
  ///
  /// A failure of the newest stream stops this sequence and is thrown. The failure of a former stream is
  /// ignored.
  ///
  /// ```swift
  /// searchText.switchToLatest { client.stream(.search($0)).throwing(when: .always) }
  /// ```
  ///
  /// - Parameters:
  ///   - removingDuplicates: Whether an element that equals the one before is omitted.
  ///   - transform: Makes the stream for an element.
  /// - Returns: A sequence of the newest stream's elements.
  @_disfavoredOverload
  public func switchToLatest<Inner: AsyncSequence & Sendable>(
    removingDuplicates: Bool = true,
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> ErasedSequence<Inner.Element, Inner.Failure> where Inner.Element: Sendable {
    switching(
      to: transform,
      removingDuplicates: removingDuplicates,
      outerFailure: OperatorDefinition<SwitchMachine, Inner.Element, Inner.Failure>.impossible,
      innerFailure: { $0 }
    )
  }
}
