/// Whether a query has data, an error, or nothing yet.
public enum QueryStatus: String, Hashable, Codable, Sendable {
  /// No data yet, and no final error.
  case pending
  /// Data, and the last fetch or write succeeded.
  case success
  /// The last fetch failed; there may be older data.
  case error
}
