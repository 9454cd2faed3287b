/// The news of the log about a key that another machine fetches.
enum SharedNews: Hashable, Sendable {
  /// There is a value.
  case arrived
  /// The leader failed.
  case failed(SharedFailure.Report)
  /// The leader has a value that it could not store.
  case unshareable
  /// No machine leads any more.
  case free
  /// No news came in time; the leader may still have some later.
  case silence
}
