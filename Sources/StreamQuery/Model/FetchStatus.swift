/// What a query's fetch is doing, whatever its ``QueryStatus``.
public enum FetchStatus: String, Hashable, Codable, Sendable {
  /// Nothing.
  case idle
  /// It runs, or waits for its next attempt.
  case fetching
  /// It waits for the network or the app to be back.
  case paused
}
