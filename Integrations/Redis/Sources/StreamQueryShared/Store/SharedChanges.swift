/// A message of the log of a ``SharedStore``.
public struct SharedMessage: Hashable, Sendable {
  /// The content of a message.
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

  /// The version, which is its place in the log.
  public var version: SharedVersion
  /// The content.
  public var kind: Kind

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - kind: The content.
  public init(_ version: SharedVersion, _ kind: Kind) {
    self.version = version
    self.kind = kind
  }
}

/// The result of ``SharedStore/changes(after:timeout:)``.
public struct SharedChanges: Hashable, Sendable {
  /// The messages after the position, in order; empty if there were none in time.
  public var messages: [SharedMessage]
  /// The next position.
  public var position: SharedPosition
  /// Whether messages after the position are lost.
  ///
  /// The log no longer has them, has another history, or never existed. The reader then knows none
  /// of the changes meanwhile.
  public var isGap: Bool

  /// Whether the log has more messages after the new position.
  ///
  /// A reader that is behind must say so, because its knowledge is incomplete.
  public var hasMore: Bool

  /// Creates changes.
  ///
  /// - Parameters:
  ///   - messages: The messages after the position.
  ///   - position: The next position.
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
