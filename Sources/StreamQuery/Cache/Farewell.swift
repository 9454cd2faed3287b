/// What a consumer that left had asked for.
///
/// An object, since most subscriptions never need the room of one.
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
  /// How an observer that was there sees it.
  func flags(for observer: Farewell, at now: Moment) -> QueryFlags {
    machine.flags(for: observer.profile, since: observer.settledBase, at: now)
  }
}
