/// From when an entry must be so that the data does not go back: what came before may be newer.
///
/// Versions order what came from the store. Of an answer that did not, for instance because the
/// store was away, the time of its request is known. Of data from before messages were lost, only
/// that the same entry will do, and a later one.
struct SharedBounds: Equatable, Sendable {
  /// The least version; `nil` if there is none.
  var version: SharedVersion?
  /// When the data was requested that is here; `nil` if its version says more.
  var requestedAt: Duration?
  /// The version of the data that is here, if it is not known which life of the log gave it: the same
  /// entry will do, although its request is known less exactly than that of a later one must be.
  var same: SharedVersion?

  /// Whether an entry may follow the data.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - duration: How long it took to fetch it.
  ///   - askedAt: When the store was asked for it.
  ///   - slack: How much later than its fetch ended it may have been stored, where the store does not
  ///     know when it was asked for.
  /// - Returns: Whether it is not older.
  func allow(
    _ entry: SharedEntry,
    fetchedIn duration: Duration,
    askedAt: Duration,
    slack: Duration
  ) -> Bool {
    if let version, entry.version < version { return false }
    if let same, entry.version == same { return true }
    guard let requestedAt else { return true }
    return entry.requested(fetchedIn: duration, askedAt: askedAt, slack: slack) >= requestedAt
  }
}

extension SharedEntry {
  /// When it was asked for, at the earliest.
  ///
  /// - Parameters:
  ///   - duration: How long it took to fetch it.
  ///   - askedAt: When the store was asked for it.
  ///   - slack: How much later than its fetch ended it may have been stored, where the store does not
  ///     know when it was asked for.
  /// - Returns: The time, by the clock that said when the store was asked.
  func requested(fetchedIn duration: Duration, askedAt: Duration, slack: Duration) -> Duration {
    // It was asked for after its lease was taken, and the store looked after it was asked.
    askedAt - (requestAge ?? age + duration + slack)
  }
}
