internal import StreamQuery

/// The sequence behind `combineLatest` over the results of one client: whole turns, and no task.
///
/// All members are looked at under one lock, so that a call which changes several keys is one
/// element. Members of several clients have no turn in common; they are combined as any sequences.
struct JointSequence<Combined: Sendable>: AsyncSequence {
  typealias Element = Combined
  typealias Failure = Never
  typealias Separate = CombineLatestSequence<Combined, Never>

  /// What one iterator works with.
  struct Inputs {
    let members: [Member]
    /// The newest results, once there is one of each query.
    let combined: @Sendable () -> Combined?
  }

  /// An observer of one of the queries, with the value type erased.
  struct Member: Sendable {
    let subscription: Subscription
    let update: @Sendable (Frame, QueryFlags) -> Void
    /// For members of several clients.
    let source: Separate.Plan.Source

    init<Value>(_ results: QueryResults<Value>, _ latest: LatestValue<QueryResult<Value>>) {
      subscription = results.makeSubscription()
      update = { latest.set(QueryResult(frame: $0, flags: $1)) }
      let observed = results.observed(by: subscription)
      source = Separate.Member(observed, failure: Separate.Plan.impossible).source(latest)
    }
  }

  private let begin: @Sendable () -> Inputs

  init(begin: @escaping @Sendable () -> Inputs) {
    self.begin = begin
  }

  func makeAsyncIterator() -> Iterator {
    let inputs = begin()
    let subscriptions = inputs.members.map(\.subscription)
    if let joint = JointSubscription(ofOneClient: subscriptions) {
      return Iterator(way: .joint(joint, inputs))
    }
    let sources = inputs.members.map(\.source)
    let separate = Separate { Separate.Inputs(sources: sources, combined: inputs.combined) }
    return Iterator(way: .separate(separate.makeAsyncIterator()))
  }
}

extension JointSequence {
  struct Iterator: AsyncIteratorProtocol {
    enum Way {
      case joint(JointSubscription, Inputs)
      case separate(Separate.Iterator)
    }

    var way: Way

    mutating func next(isolation actor: isolated (any Actor)?) async -> Combined? {
      switch way {
      case .joint(let joint, let inputs):
        guard let views = await joint.next(isolation: actor) else { return nil }
        for (member, view) in zip(inputs.members, views) { member.update(view.frame, view.flags) }
        return inputs.combined()
      case .separate(var iterator):
        let combined = await iterator.next(isolation: actor)
        way = .separate(iterator)
        return combined
      }
    }
  }
}

extension JointSequence: Sendable {}

@available(*, unavailable)
extension JointSequence.Iterator: Sendable {}
