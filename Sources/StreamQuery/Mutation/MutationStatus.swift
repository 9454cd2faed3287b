/// What a run of a mutation is about to be, is, or was.
public enum MutationStatus: String, Hashable, Codable, Sendable {
  /// There is no run.
  case idle
  /// It runs, waits, is paused, or its callbacks run.
  case pending
  /// It returned an output.
  case success
  /// It failed.
  case error
}
