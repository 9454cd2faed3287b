internal import StreamQuery

/// The updates of `combineLatest` for results of one client: one for each transaction, without a task.
///
/// All observers are read under one lock, so that a call which changes several keys gives one update.
struct JointUpdates<Failure: Error>: AsyncIteratorProtocol {
  private let group: SubscriptionGroup
  private let observers: [CombinedPart<Failure>.Observer]

  /// Creates the updates of some observers; `nil` unless all belong to one client.
  init?(_ observers: [CombinedPart<Failure>.Observer]) {
    guard let group = SubscriptionGroup(ofOneClient: observers.map(\.subscription)) else {
      return nil
    }
    self.group = group
    self.observers = observers
  }

  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(Failure) -> (@Sendable () -> Void)? {
    guard let views = await group.next(isolation: actor) else { return nil }
    return { [notes = observers.map(\.note)] in
      for (note, view) in zip(notes, views) { note(view.snapshot, view.flags) }
    }
  }
}
