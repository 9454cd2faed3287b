internal import StreamQuery

/// The sequence behind `combineLatest` over the results of one client: whole turns, and no task.
///
/// All members are looked at under one lock, so that a call which changes several keys is one
/// element. Members of several clients have no turn in common; they are combined as any sequences.
struct JointSequence<Latest: LatestValues>: AsyncSequence {
  typealias Element = Latest.Combined
  typealias Failure = Never
  typealias Separate = CombineLatestSequence<Latest, Never>

  /// One of the sequences, with the value type erased.
  struct Member: Sendable {
    let subscribe: @Sendable () -> Subscription
    let update: @Sendable (inout Latest, Frame, QueryFlags) -> Void
    /// For members of several clients.
    let source: @Sendable (Subscription) -> Separate.Plan.Source

    init<Value>(
      _ results: QueryResults<Value>,
      update: @escaping @Sendable (inout Latest, QueryResult<Value>) -> Void
    ) {
      subscribe = { results.makeSubscription() }
      self.update = { update(&$0, QueryResult(frame: $1, flags: $2)) }
      source = { subscription in
        let results = results.observed(by: subscription)
        return Separate.source(results, failure: Separate.Plan.impossible, update: update)
      }
    }
  }

  private let initial: Latest
  private let members: [Member]

  /// The sequence that users see.
  static func combining(
    _ initial: Latest,
    _ members: [Member]
  ) -> ErasedSequence<Latest.Combined, Never> {
    ErasedSequence(Self(initial, members))
  }

  init(_ initial: Latest, _ members: [Member]) {
    self.initial = initial
    self.members = members
  }

  func makeAsyncIterator() -> Iterator {
    let subscriptions = members.map { $0.subscribe() }
    if let joint = JointSubscription(ofOneClient: subscriptions) {
      return Iterator(way: .joint(joint, members.map(\.update)), latest: initial)
    }
    let sources = zip(members, subscriptions).map { $0.source($1) }
    let separate = Separate(initial, sources).makeAsyncIterator()
    return Iterator(way: .separate(separate), latest: initial)
  }
}

extension JointSequence {
  struct Iterator: AsyncIteratorProtocol {
    enum Way {
      case joint(JointSubscription, [@Sendable (inout Latest, Frame, QueryFlags) -> Void])
      case separate(Separate.Iterator)
    }

    var way: Way
    var latest: Latest

    mutating func next(isolation actor: isolated (any Actor)?) async -> Latest.Combined? {
      switch way {
      case .joint(let joint, let updates):
        guard let views = await joint.next(isolation: actor) else { return nil }
        for (update, view) in zip(updates, views) { update(&latest, view.frame, view.flags) }
        return latest.combined
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
