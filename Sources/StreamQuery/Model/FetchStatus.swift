/// What a query's fetch is doing, regardless of its ``QueryStatus``.
public enum FetchStatus: String, Hashable, Codable, Sendable {
  /// Nothing.
  case idle
  /// It is running, or waiting for its next attempt.
  case fetching
  /// It is waiting for the network or the app to come back.
  case paused
}
