/// Which of the invalidated entries are refetched at once.
public enum RefetchScope: String, Hashable, Codable, Sendable {
  /// None: they are refetched on the next occasion.
  case never
  /// Those with an enabled observer; the default.
  case active
  /// Those without an enabled observer.
  case inactive
  /// All.
  case all
}
