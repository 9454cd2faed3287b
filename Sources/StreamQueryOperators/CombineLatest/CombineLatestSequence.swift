/// The sequence behind `combineLatest`: a merge of updates, and a fold in the iterator.
///
/// The newest elements live in the iterator, where the consumer alone touches them: no lock, and
/// no cast back from an erased value. What comes through the merge is a change of them.
///
/// This is also the seam for streams of one cache. They can be combined without tasks, and with one
/// tuple per turn of the cache however many of them it changed; an overload of `combineLatest`
/// for them returns another sequence than this one, and nothing else has to know.
struct CombineLatestSequence<Latest: LatestValues, Failure: Error>: AsyncSequence {
  typealias Element = Latest.Combined
  typealias Update = @Sendable (inout Latest) -> Void
  typealias Plan = FlowPlan<MergeMachine, Update, Failure>

  private let initial: Latest
  private let updates: FlowSequence<MergeMachine, Update, Failure>

  /// The sequence that users see.
  static func combining(
    _ initial: Latest,
    _ sources: [Plan.Source]
  ) -> ErasedSequence<Latest.Combined, Failure> {
    ErasedSequence(Self(initial, sources))
  }

  init(_ initial: Latest, _ sources: [Plan.Source]) {
    self.initial = initial
    let machine = MergeMachine(count: sources.count, ending: .whenOneIsEmpty)
    updates = FlowSequence(Plan(machine: machine, sources: sources))
  }

  static func source<Base: AsyncSequence & Sendable>(
    _ base: Base,
    failure: @escaping @Sendable (Base.Failure) -> Failure,
    update: @escaping @Sendable (inout Latest, Base.Element) -> Void
  ) -> Plan.Source where Base.Element: Sendable {
    Plan.source(base, element: { value in { update(&$0, value) } }, failure: failure)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(latest: initial, updates: updates.makeAsyncIterator())
  }
}

extension CombineLatestSequence {
  struct Iterator: AsyncIteratorProtocol {
    private enum State {
      case new
      case running
    }

    private var latest: Latest
    private var updates: FlowSequence<MergeMachine, Update, Failure>.Iterator
    private var state = State.new

    init(latest: Latest, updates: FlowSequence<MergeMachine, Update, Failure>.Iterator) {
      self.latest = latest
      self.updates = updates
    }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Latest.Combined? {
      if case .new = state {
        state = .running
        // Complete from the start only if there is nothing to combine.
        if !Task.isCancelled, let combined = latest.combined { return combined }
      }
      while let update = try await updates.next(isolation: actor) {
        update(&latest)
        if let combined = latest.combined { return combined }
      }
      return nil
    }
  }
}

extension CombineLatestSequence: Sendable {}

@available(*, unavailable)
extension CombineLatestSequence.Iterator: Sendable {}
