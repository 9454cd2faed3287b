/// The sequence of an operator that turns each result into at most one element, without a task or a buffer.
///
/// The step handles a result when the consumer asks for an element, on the consumer's actor. Each iterator
/// has its own step. The sequence is `Sendable` if its base and its step are.
///
/// Operators name this type, so that a chain of twelve is type-checked in milliseconds.
///
/// ```swift
/// let names: ResultSequence<QueryResults<[User]>, _SelectStep<[User], [String]>>
/// names = client.results(of: .users).select { $0.map(\.name) }
/// ```
public struct ResultSequence<Base: AsyncSequence, Step: _ResultStep>: AsyncSequence
where Step.Input == Base.Element {
  /// The output of the step.
  public typealias Element = Step.Output

  /// The failure of the base sequence.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let step: Step

  // All members are inlinable, so that the compiler makes one function of a chain in the module that uses it.
  // Generic code takes three times as long.
  @inlinable
  init(_ base: Base, _ step: Step) {
    self.base = base
    self.step = step
  }

  /// Begins an iteration, with a step of its own.
  ///
  /// - Returns: An iterator.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), step: step)
  }
}

extension ResultSequence {
  /// Delivers the outputs of the step.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var step: Step

    @inlinable
    init(base: Base.AsyncIterator, step: Step) {
      self.base = base
      self.step = step
    }

    /// Waits for the next element that the step lets through.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The element; `nil` at the end.
    /// - Throws: The failure of the base sequence.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Step.Output? {
      while let element = try await base.next(isolation: actor) {
        if let output = step.take(element) { return output }
      }
      return nil
    }
  }
}

extension ResultSequence: Sendable where Base: Sendable, Step: Sendable {}

@available(*, unavailable)
extension ResultSequence.Iterator: Sendable {}
