/// A message of the log of a ``SharedStore``.
public struct SharedMessage: Hashable, Sendable {
  /// The content of a message.
  public enum Kind: Hashable, Sendable {
    /// The holder of a lease stored a value for the key.
    case committed(key: String)
    /// The holder of a lease ended it without a value.
    ///
    /// `failure` describes the error; `nil` means that the holder gave up.
    case abandoned(key: String, failure: String?)
    /// A machine wrote a value for the key, without a lease.
    case written(key: String)
    /// All entries with one of the marks were invalidated.
    case invalidated([SharedMark])
  }

  /// The version of the message, which is its place in the log.
  public var version: SharedVersion
  /// The change that the message reports.
  public var kind: Kind

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - kind: The change that the message reports.
  public init(_ version: SharedVersion, _ kind: Kind) {
    self.version = version
    self.kind = kind
  }
}

/// The result of ``SharedStore/changes(after:timeout:)``.
public struct SharedChanges: Hashable, Sendable {
  /// The messages after the position, in order; empty if none came before the timeout.
  public var messages: [SharedMessage]
  /// The position after which the next call continues to read.
  public var position: SharedPosition
  /// Whether messages after the position are lost.
  ///
  /// The log no longer has the messages, has another history, or never existed. The reader then does not
  /// know which changes it has missed.
  public var isGap: Bool

  /// Whether the log has more messages after the new position.
  ///
  /// If so, the reader does not know all changes yet.
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
