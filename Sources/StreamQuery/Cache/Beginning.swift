/// What an entry began with: a reset restores it with its age, whoever observes the entry by then.
final class Beginning: Sendable {
  let source: DefinitionExtras.InitialDataSource
  /// When its data was good.
  let time: Timestamp

  init(source: DefinitionExtras.InitialDataSource, time: Timestamp) {
    self.source = source
    self.time = time
  }
}
