/// The sequence behind operators on results that work element by element.
///
/// There is no task and no buffer: an element is worked on where the consumer asks for it, on the
/// consumer's actor. Each iterator has a step of its own. Inlinable, so that a chain becomes one
/// function of the consumer's where its types are known: run as generic code it costs three times
/// as much.
@usableFromInline
struct StepSequence<Base: AsyncSequence, Step: ResultStep>: AsyncSequence
where Step.Input == Base.Element {
  @usableFromInline typealias Element = Step.Output
  @usableFromInline typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let step: Step

  @inlinable
  init(_ base: Base, _ step: Step) {
    self.base = base
    self.step = step
  }

  @inlinable
  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: step)
  }
}

extension StepSequence {
  @usableFromInline
  struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var step: Step

    @inlinable
    init(base: Base.AsyncIterator, step: Step) {
      self.base = base
      self.step = step
    }

    @inlinable
    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Step.Output? {
      while let element = try await base.next(isolation: actor) {
        if let output = step.take(element) { return output }
      }
      return nil
    }
  }
}

extension StepSequence: Sendable where Base: Sendable, Step: Sendable {}

@available(*, unavailable)
extension StepSequence.Iterator: Sendable {}
