/// The sequence of an operator that runs an action and lets every element through, without a task or a
/// buffer.
///
/// A step decides which input the action gets. The action runs on the actor on which it was written, so that
/// an action of a view's model may change the model; any other action runs on the consumer's actor.
///
/// A test that drives a simulation from the main actor keeps that actor busy, so an action of the main actor
/// cannot run. Use `Simulation.onMainActor`, or pass a function without an actor.
///
/// ```swift
/// let users: EffectSequence<QueryResults<[User]>, _OnSuccessStep<[User]>>
/// users = client.results(of: .users).onSuccess { print("\($0.count) users") }
/// ```
public struct EffectSequence<Base: AsyncSequence, Step: _ResultStep>: AsyncSequence
where Step.Input == Base.Element, Step.Output: Sendable {
  /// The element of the base sequence.
  public typealias Element = Base.Element

  /// The failure of the base sequence.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let step: Step
  @usableFromInline let action: ResultAction<Step.Output>

  @inlinable
  init(_ base: Base, _ step: Step, _ action: ResultAction<Step.Output>) {
    self.base = base
    self.step = step
    self.action = action
  }

  /// Begins an iteration, with a step of its own.
  ///
  /// - Returns: An iterator.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: step, action: action)
  }
}

extension EffectSequence {
  /// Delivers the elements of the base sequence, and runs the action for them.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var step: Step
    @usableFromInline let action: ResultAction<Step.Output>

    @inlinable
    init(base: Base.AsyncIterator, step: Step, action: ResultAction<Step.Output>) {
      self.base = base
      self.step = step
      self.action = action
    }

    /// Waits for the next element, and for its action.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The element; `nil` at the end.
    /// - Throws: The failure of the base sequence.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Base.Element? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      if let news = step.take(element) {
        if let plain = action.plain { plain(news) } else { await action.isolated(news) }
      }
      return element
    }
  }
}

extension EffectSequence: Sendable where Base: Sendable, Step: Sendable {}

@available(*, unavailable)
extension EffectSequence.Iterator: Sendable {}
