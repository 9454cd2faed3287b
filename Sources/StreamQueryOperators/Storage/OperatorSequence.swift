internal import StreamQuery

/// The sequence of an operator that needs a task.
///
/// Each iterator reads `Scheduling.current` at its first `next`, and then starts tasks of its own.
struct OperatorSequence<Machine: OperatorMachine, Output: Sendable, Failure: Error>: AsyncSequence {
  typealias Element = Output

  private let definition: OperatorDefinition<Machine, Output, Failure>

  init(_ definition: OperatorDefinition<Machine, Output, Failure>) {
    self.definition = definition
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(definition)
  }
}

extension OperatorSequence {
  struct Iterator: AsyncIteratorProtocol {
    /// The description of the operator, until the first `next`.
    ///
    /// It is released then, so that no upstream outlives its task.
    private var definition: OperatorDefinition<Machine, Output, Failure>?
    private var handle: OperatorStorage<Machine, Output, Failure>.Handle?

    init(_ definition: OperatorDefinition<Machine, Output, Failure>) {
      self.definition = definition
    }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Output? {
      if let definition = definition.take() {
        handle = .init(OperatorStorage(definition, scheduling: Scheduling.current))
      }
      return try await handle?.storage.next(isolation: actor)
    }
  }
}

extension OperatorSequence: Sendable {}

@available(*, unavailable)
extension OperatorSequence.Iterator: Sendable {}
