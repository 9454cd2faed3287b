/// What an entry began with: a reset restores it with its age, whoever observes the entry by then.
final class Beginning: Sendable {
  /// The query whose initial data it was.
  let query: StoredQuery
  /// When its data was good.
  let time: Timestamp

  init(query: StoredQuery, time: Timestamp) {
    self.query = query
    self.time = time
  }
}
