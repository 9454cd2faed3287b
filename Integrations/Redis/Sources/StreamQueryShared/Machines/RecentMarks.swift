/// The newest invalidations, each with its version and with its rank in the order in which this
/// peer saw them.
///
/// They are in two halves: when the young half is full, it becomes the old half, and the former old
/// half is dropped. So a log full of unrelated marks needs bounded memory. An invalidation of a row
/// is also stored in ``SharedRow/invalidated``.
struct RecentMarks: Sendable {
  /// An invalidation.
  struct SeenInvalidation: Equatable, Sendable {
    var version: SharedVersion
    /// The number of the message among those that this peer has seen.
    var messageNumber: UInt64

    /// Joins two invalidations: the greater version, and the greater sequence number.
    ///
    /// Versions and sequence numbers have different orders, because a peer sees its own
    /// invalidations before older messages.
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

  /// A mark was invalidated.
  ///
  /// - Returns: Whether that is news.
  mutating func saw(_ mark: SharedMark, _ seen: SeenInvalidation) -> Bool {
    if let known = self[mark], known.version >= seen.version { return false }
    young[mark] = seen
    if young.count >= limit { (young, old) = ([:], young) }
    return true
  }

  mutating func removeAll() { (young, old) = ([:], [:]) }
}
