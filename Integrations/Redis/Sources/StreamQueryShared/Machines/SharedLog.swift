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
    /// Changes may be missing, after a gap or at the first read.
    case unknown(isGap: Bool)
  }

  /// Whether a caller reads the log.
  private(set) var isRead = false
  /// The position after which to read; `nil` means the end of the log.
  private(set) var position: SharedPosition?
  /// The last time at which all changes were known; `nil` if they never were.
  private(set) var completeAt: Duration?

  /// Makes a caller the reader of the log, unless there is a reader.
  ///
  /// - Returns: Whether the caller is the reader now.
  mutating func began() -> Bool {
    guard !isRead else { return false }
    isRead = true
    return true
  }

  /// Forgets everything, because no caller reads the log any more.
  mutating func ended() {
    self = SharedLog()
  }

  /// Stores the position after a read of the log, and finds out whether the read missed messages.
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
    // If the log has another history, or its versions fall, there is a gap, even if the store does not
    // say so.
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
