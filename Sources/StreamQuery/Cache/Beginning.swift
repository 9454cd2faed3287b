/// What an entry began with: a reset restores it with its age, whoever observes the entry by then.
final class Beginning: Sendable {
  let source: PlanExtras.InitialData
  /// When its data was good.
  let time: Timestamp

  init(source: PlanExtras.InitialData, time: Timestamp) {
    self.source = source
    self.time = time
  }
}
