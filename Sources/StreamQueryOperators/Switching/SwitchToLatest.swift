extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Follows the stream of the newest element, and leaves the previous one.
  ///
  /// Use it for a query whose key changes: the screen shows only the results of the newest key, and
  /// the fetch of a key that nobody else observes is cancelled.
  ///
  /// ```swift
  /// client.stream(.user(email)).values().map(\.id)
  ///   .switchToLatest { client.stream(.projects(of: $0)) }
  /// ```
  ///
  /// An element that equals the one before opens no new stream. Elements are compared if their type
  /// is `Equatable`, which is checked at run time. Pass `false` to open a stream for every element, for
  /// example for a search that is submitted again.
  ///
  /// It subscribes to the new stream before it leaves the old one, so a key that both share does
  /// not lose its last observer. No element of the old stream is delivered after the new element
  /// has come.
  ///
  /// - Finish: when this sequence and the newest stream have finished.
  /// - Failure: a failure of this sequence or of the newest stream stops the other one and is thrown. The
  ///   failure of a former stream is ignored.
  /// - Cancellation: ends with `nil`; all tasks are cancelled.
  /// - Buffering: none but the last element, to compare. This sequence's elements are asked for
  ///   without pause in one task; the newest stream has another, and is asked only while the consumer
  ///   waits.
  ///
  /// - Parameters:
  ///   - removingDuplicates: Whether an element that equals the one before is omitted.
  ///   - transform: Makes the stream for an element. Called in a task of its own, once per element,
  ///     in order.
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

  /// Follows the stream of the newest element, which cannot fail.
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

  /// Follows the stream of the newest element, if both fail with different types.
  ///
  /// Otherwise this is the same as for one failure type; any error may be thrown.
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

  /// The common part of all forms.
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
  /// Follows the stream of the newest element, if only such a stream can fail.
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
