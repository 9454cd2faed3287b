/// What a consumer that left had asked for.
///
/// An object, because most subscriptions never need room for it.
final class Farewell: Sendable {
  let key: EntryKey
  let plan: ResolvedPlan?
  let profile: ObserverProfile
  let settledBase: SettledCounts

  init(of consumer: Consumer, on key: EntryKey) {
    self.key = key
    plan = consumer.plan
    profile = consumer.profile
    settledBase = consumer.settledBase
  }
}

extension EntryEnd {
  /// The flags for an observer that left.
  func flags(for observer: Farewell, at now: Moment) -> QueryFlags {
    machine.flags(for: observer.profile, since: observer.settledBase, at: now)
  }
}
