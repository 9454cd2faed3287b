/// Decides how the log is read: from where, and what is known of it.
///
/// | state | messages | a gap | no answer |
/// |---|---|---|---|
/// | off: nobody reads | – | – | – |
/// | seeking the end | live | live | seeking |
/// | live | live | live, from the end | live, but not complete |
struct SharedLog: Equatable, Sendable {
  /// What has become of what was known.
  enum Step: Equatable, Sendable {
    /// The messages are all that has changed.
    case complete
    /// Anything may have changed before.
    case unknown(isGap: Bool)
  }

  /// Whether somebody reads it.
  private(set) var isRead = false
  /// The position to read from; `nil` is the end.
  private(set) var position: SharedPosition?
  /// When it was last known to be complete; `nil` if it never was.
  private(set) var completeAt: Duration?

  /// Somebody begins to read.
  ///
  /// - Returns: Whether nobody else does.
  mutating func began() -> Bool {
    guard !isRead else { return false }
    isRead = true
    return true
  }

  /// Nobody reads any more.
  mutating func ended() {
    self = SharedLog()
  }

  /// The log was read.
  ///
  /// - Parameters:
  ///   - changes: What was found.
  ///   - start: When it was asked: what was logged later may be missing.
  /// - Returns: What has become of what was known.
  mutating func read(_ changes: SharedChanges, askedAt start: Duration) -> Step {
    let former = position
    defer {
      position = changes.position
      if !changes.hasMore { completeAt = max(completeAt ?? start, start) }
    }
    guard let former else { return .unknown(isGap: false) }
    // A log of another life, or one that ran backwards: whatever the store says, it is a gap.
    guard !changes.isGap, changes.position.history == former.history,
      changes.position.version >= former.version, isInOrder(changes.messages, after: former.version)
    else { return .unknown(isGap: true) }
    return .complete
  }

  private func isInOrder(_ messages: [SharedMessage], after version: SharedVersion) -> Bool {
    var last = version
    for message in messages {
      guard message.version > last else { return false }
      last = message.version
    }
    return true
  }
}
