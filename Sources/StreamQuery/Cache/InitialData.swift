/// Data for an entry that has none, already obtained outside the lock.
struct InitialData: Sendable {
  let box: ValueBox
  let source: DefinitionExtras.InitialDataSource

  /// Evaluates initial data; `nil` if there is none after all.
  init?(_ source: DefinitionExtras.InitialDataSource) {
    guard let box = source.value() else { return nil }
    self.box = box
    self.source = source
  }

  /// The beginning of an entry that starts with this data.
  func beginning(at now: Timestamp) -> Beginning {
    Beginning(source: source, time: source.updatedAt.map(now.placing(date:)) ?? now)
  }
}
