/// A message of the log of a ``SharedStore``.
public struct SharedMessage: Hashable, Sendable {
  /// What a message tells.
  public enum Kind: Hashable, Sendable {
    /// A lease of the key was committed.
    case committed(key: String)
    /// A lease of the key was abandoned; `nil` if its holder only gave up.
    case abandoned(key: String, failure: String?)
    /// The key was written.
    case written(key: String)
    /// All entries with one of the marks were invalidated.
    case invalidated([SharedMark])
  }

  /// The place in the log.
  public var version: SharedVersion
  /// What it tells.
  public var kind: Kind

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - version: The place in the log.
  ///   - kind: What it tells.
  public init(_ version: SharedVersion, _ kind: Kind) {
    self.version = version
    self.kind = kind
  }
}

/// What ``SharedStore/changes(after:timeout:)`` found.
public struct SharedChanges: Hashable, Sendable {
  /// The messages after the position, in order; empty if there were none in time.
  public var messages: [SharedMessage]
  /// Where to read from next.
  public var position: SharedPosition
  /// Whether messages after the position are lost.
  ///
  /// The log no longer has them, has another history, or was never there. Whoever sees this knows
  /// nothing of what changed meanwhile.
  public var isGap: Bool

  /// Whether the log has more messages after the new position, which did not fit in.
  ///
  /// Without them it is not known whether all is known: a reader that is behind must say so.
  public var hasMore: Bool

  /// Creates changes.
  ///
  /// - Parameters:
  ///   - messages: The messages after the position.
  ///   - position: Where to read from next.
  ///   - isGap: Whether messages are lost.
  ///   - hasMore: Whether the log has more messages.
  public init(
    messages: [SharedMessage],
    position: SharedPosition,
    isGap: Bool = false,
    hasMore: Bool = false
  ) {
    self.messages = messages
    self.position = position
    self.isGap = isGap
    self.hasMore = hasMore
  }
}
