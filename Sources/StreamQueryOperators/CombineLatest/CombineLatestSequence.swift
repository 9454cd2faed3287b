/// The sequence behind `combineLatest`: a merge of updates, and the newest elements in the iterator.
///
/// What comes through the merge is a closure that the consumer runs to note the element, so that no
/// element is ever cast back from an erased value.
struct CombineLatestSequence<Combined: Sendable, Failure: Error>: AsyncSequence {
  typealias Element = Combined
  typealias Plan = FlowPlan<MergeMachine, @Sendable () -> Void, Failure>

  /// What one iterator works with.
  struct Inputs {
    let sources: [Plan.Source]
    /// The newest elements, once there is one of each sequence.
    let combined: @Sendable () -> Combined?
  }

  /// One of the sequences, of which only the elements' type is known.
  struct Member<Value: Sendable>: Sendable {
    let source: @Sendable (LatestValue<Value>) -> Plan.Source

    init<OwnFailure: Error>(
      _ base: any AsyncSequence<Value, OwnFailure> & Sendable,
      failure: @escaping @Sendable (OwnFailure) -> Failure
    ) {
      source = { latest in
        Plan.source(
          ErasedSequence(base),
          element: { value in { latest.set(value) } },
          failure: failure
        )
      }
    }
  }

  private let begin: @Sendable () -> Inputs

  /// Combines into tuples.
  static func combining<each Value: Sendable>(
    _ members: repeat Member<each Value>
  ) -> ErasedSequence<Combined, Failure> where Combined == (repeat each Value) {
    let combination = Self {
      let latest = (repeat LatestValue<each Value>())
      var sources: [Plan.Source] = []
      for (member, value) in repeat (each members, each latest) {
        sources.append(member.source(value))
      }
      return Inputs(sources: sources, combined: { try? (repeat (each latest).get()) })
    }
    return ErasedSequence(combination)
  }

  init(begin: @escaping @Sendable () -> Inputs) {
    self.begin = begin
  }

  func makeAsyncIterator() -> Iterator {
    let inputs = begin()
    let machine = MergeMachine(count: inputs.sources.count, ending: .whenOneIsEmpty)
    let updates = FlowSequence(Plan(machine: machine, sources: inputs.sources))
    return Iterator(updates: updates.makeAsyncIterator(), combined: inputs.combined)
  }
}

extension CombineLatestSequence {
  struct Iterator: AsyncIteratorProtocol {
    private var updates: FlowSequence<MergeMachine, @Sendable () -> Void, Failure>.Iterator
    private let combined: @Sendable () -> Combined?
    /// Complete from the start only if there is nothing to combine.
    private var empty: Combined?

    init(
      updates: FlowSequence<MergeMachine, @Sendable () -> Void, Failure>.Iterator,
      combined: @escaping @Sendable () -> Combined?
    ) {
      self.updates = updates
      self.combined = combined
      empty = combined()
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Combined? {
      if let empty = empty.take(), !Task.isCancelled { return empty }
      while let update = try await updates.next(isolation: actor) {
        update()
        if let combined = combined() { return combined }
      }
      return nil
    }
  }
}

extension CombineLatestSequence: Sendable {}

@available(*, unavailable)
extension CombineLatestSequence.Iterator: Sendable {}
