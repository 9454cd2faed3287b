/// What an entry began with: a reset restores it with its age, whoever observes the entry by then.
final class Beginning: Sendable {
  /// The initial data that it was.
  ///
  /// Not its query: the entry would keep the fetch of an observer that asks for another one by now.
  let source: StoredInitialData
  /// When its data was good.
  let time: Timestamp

  init(source: StoredInitialData, time: Timestamp) {
    self.source = source
    self.time = time
  }
}
