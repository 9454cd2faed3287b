/// Which page a fetch adds to an infinite query.
public enum PageDirection: String, Hashable, Codable, Sendable {
  /// The page after the last one.
  case next
  /// The page before the first one.
  case previous
}
