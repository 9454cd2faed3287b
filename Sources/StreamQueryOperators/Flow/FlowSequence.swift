internal import StreamQuery

/// The sequence behind every operator that needs a task.
///
/// Each iterator starts its own tasks at its first `next`, where it also reads
/// `Scheduling.current`.
struct FlowSequence<Machine: FlowMachine, Output: Sendable, Failure: Error>: AsyncSequence {
  typealias Element = Output

  private let plan: FlowPlan<Machine, Output, Failure>

  init(_ plan: FlowPlan<Machine, Output, Failure>) {
    self.plan = plan
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(plan)
  }
}

extension FlowSequence {
  struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case new(FlowPlan<Machine, Output, Failure>)
      case started(Confluence<Machine, Output, Failure>.Handle)
    }

    private var state: State

    init(_ plan: FlowPlan<Machine, Output, Failure>) {
      state = .new(plan)
    }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Output? {
      switch state {
      case .new(let plan):
        let handle = Confluence.Handle(Confluence(plan, scheduling: Scheduling.current))
        state = .started(handle)
        return try await handle.confluence.next(isolation: actor)
      case .started(let handle):
        return try await handle.confluence.next(isolation: actor)
      }
    }
  }
}

extension FlowSequence: Sendable {}

@available(*, unavailable)
extension FlowSequence.Iterator: Sendable {}
