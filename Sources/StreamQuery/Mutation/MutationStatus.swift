/// The status of a run of a mutation.
public enum MutationStatus: String, Hashable, Codable, Sendable {
  /// There is no run.
  case idle
  /// It runs, waits or is paused, or its callbacks run.
  case pending
  /// It returned an output.
  case success
  /// It failed.
  case error
}
