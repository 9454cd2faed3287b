/// The newest invalidations, each with its version and with its rank in the order in which this
/// peer saw them.
///
/// They are in two halves: when the young one is full, it becomes the old one, so that a log full
/// of unrelated marks needs bounded memory. An invalidation of a row is also stored in
/// ``SharedRow/invalidated``.
struct RecentMarks: Sendable {
  /// An invalidation.
  struct Sight: Equatable, Sendable {
    var version: SharedVersion
    /// The number of the message among those that this peer has seen.
    var tide: UInt64

    /// The maximum of two.
    ///
    /// Versions and sequence numbers have different orders, because a peer sees its own
    /// invalidations before older messages.
    func joined(with other: Sight?) -> Sight {
      guard let other else { return self }
      return Sight(version: max(version, other.version), tide: max(tide, other.tide))
    }
  }

  private var young: [SharedMark: Sight] = [:]
  private var old: [SharedMark: Sight] = [:]
  private let limit: Int

  init(limit: Int = 8_192) {
    self.limit = limit
  }

  subscript(mark: SharedMark) -> Sight? { young[mark] ?? old[mark] }

  /// A mark was invalidated.
  ///
  /// - Returns: Whether that is news.
  mutating func saw(_ mark: SharedMark, _ sight: Sight) -> Bool {
    if let known = self[mark], known.version >= sight.version { return false }
    young[mark] = sight
    if young.count >= limit { (young, old) = ([:], young) }
    return true
  }

  mutating func removeAll() { (young, old) = ([:], [:]) }
}
