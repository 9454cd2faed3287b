/// The newest invalidations of marks (keys, prefixes and tags), each with its version and its number in the
/// order in which this peer saw them.
///
/// They are in two halves. When the young half is full, it becomes the old half, and the former old half is
/// dropped: so a log full of unrelated marks needs bounded memory. A dropped invalidation may still be
/// needed by a fetch, so a row has the newest one of its own marks in ``SharedRow/invalidated``.
struct RecentMarks: Sendable {
  /// An invalidation that this peer has seen in the log, or made itself.
  struct SeenInvalidation: Equatable, Sendable {
    var version: SharedVersion
    /// The number of the invalidation's message, in the order in which this peer saw messages.
    var messageNumber: UInt64

    /// Joins two invalidations: takes the greater version, and the greater message number.
    ///
    /// The version and the number may then come from different invalidations, because a peer sees its
    /// own invalidations before older messages.
    func joined(with other: SeenInvalidation?) -> SeenInvalidation {
      guard let other else { return self }
      return SeenInvalidation(
        version: max(version, other.version),
        messageNumber: max(messageNumber, other.messageNumber)
      )
    }
  }

  private var young: [SharedMark: SeenInvalidation] = [:]
  private var old: [SharedMark: SeenInvalidation] = [:]
  private let limit: Int

  init(limit: Int = 8_192) {
    self.limit = limit
  }

  subscript(mark: SharedMark) -> SeenInvalidation? { young[mark] ?? old[mark] }

  /// Stores the invalidation of a mark.
  ///
  /// - Returns: Whether the invalidation is newer than the known one.
  mutating func saw(_ mark: SharedMark, _ seen: SeenInvalidation) -> Bool {
    if let known = self[mark], known.version >= seen.version { return false }
    young[mark] = seen
    if young.count >= limit { (young, old) = ([:], young) }
    return true
  }

  mutating func removeAll() { (young, old) = ([:], [:]) }
}
