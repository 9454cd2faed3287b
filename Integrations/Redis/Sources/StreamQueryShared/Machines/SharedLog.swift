/// Decides from which position the log is read, and whether all changes so far are known.
///
/// | state | messages | a gap | no answer |
/// |---|---|---|---|
/// | off: nobody reads | – | – | – |
/// | seeking the end | live | live | seeking |
/// | live | live | live, from the end | live, but not complete |
struct SharedLog: Equatable, Sendable {
  /// Whether all changes are known after a read.
  enum Step: Equatable, Sendable {
    /// The messages are all changes since the last read.
    case complete
    /// There may have been other changes.
    case unknown(isGap: Bool)
  }

  /// Whether a caller reads it.
  private(set) var isRead = false
  /// The position from which to read; `nil` is the end.
  private(set) var position: SharedPosition?
  /// The time when it was last known to be complete; `nil` if it never was.
  private(set) var completeAt: Duration?

  /// A caller begins to read.
  ///
  /// - Returns: Whether no other one reads.
  mutating func began() -> Bool {
    guard !isRead else { return false }
    isRead = true
    return true
  }

  /// No caller reads any more.
  mutating func ended() {
    self = SharedLog()
  }

  /// The log was read.
  ///
  /// - Parameters:
  ///   - changes: The result.
  ///   - start: The time of the request: messages that were logged later may be missing.
  /// - Returns: Whether all changes are known now.
  mutating func read(_ changes: SharedChanges, askedAt start: Duration) -> Step {
    let previous = position
    defer {
      position = changes.position
      if !changes.hasMore { completeAt = max(completeAt ?? start, start) }
    }
    guard let previous else { return .unknown(isGap: false) }
    // A log of another life, or one that ran backwards, is a gap, even if the store does not say
    // so.
    guard !changes.isGap, changes.position.history == previous.history,
      changes.position.version >= previous.version,
      isInOrder(changes.messages, after: previous.version)
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
