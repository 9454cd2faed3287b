/// Which of the entries that an invalidation marks are refetched at once.
public enum RefetchScope: String, Hashable, Codable, Sendable {
  /// None: stale ones refresh when they are next asked for.
  case never
  /// Those with an enabled observer; the default.
  case active
  /// Those without.
  case inactive
  /// All.
  case all
}
