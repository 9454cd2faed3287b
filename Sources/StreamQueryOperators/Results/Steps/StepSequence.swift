/// The sequence behind operators on results that work element by element.
///
/// There is no task and no buffer: an element is worked on where the consumer asks for it, on the
/// consumer's actor. Each iterator has a step of its own.
struct StepSequence<Base: AsyncSequence, Step: ResultStep>: AsyncSequence
where Step.Input == Base.Element {
  typealias Element = Step.Output
  typealias Failure = Base.Failure

  let base: Base
  let step: Step

  init(_ base: Base, _ step: Step) {
    self.base = base
    self.step = step
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: step)
  }
}

extension StepSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    var step: Step

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
