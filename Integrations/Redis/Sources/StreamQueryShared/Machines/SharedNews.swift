/// What the log told of a key that somebody else fetches.
enum SharedNews: Hashable, Sendable {
  /// There is a value.
  case arrived
  /// The leader failed.
  case failed(SharedFailure.Report)
  /// The leader has a value that it could not store.
  case unshareable
  /// Nobody leads any more.
  case free
  /// Nobody told anything in time: whoever leads may do so still.
  case silence
}
