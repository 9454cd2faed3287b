/// The bounds for an entry that may follow the present data, so that the data never goes back.
///
/// Data from the store has a version. For data from upstream, for instance because the store was
/// away, the time of its request is known. If the data is from before messages were lost, only the
/// same entry or a later one may follow it.
struct SharedBounds: Equatable, Sendable {
  /// The lowest version; `nil` if there is none.
  var version: SharedVersion?
  /// The time when the present data was requested; `nil` if its version is enough.
  var requestedAt: Duration?
  /// The version of the present data, if the life of the log that gave it is not known.
  ///
  /// The same entry may follow, although the time of its request is not known as exactly as is required of a
  /// later one.
  var same: SharedVersion?

  /// Whether an entry may follow the data.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - duration: The duration of its fetch.
  ///   - askedAt: The time when the store was asked for it.
  ///   - slack: How long after the end of its fetch it may have been stored, if the store does not know the
  ///     time of its request.
  /// - Returns: Whether it is not older than the data.
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
  /// The time when it was requested, at the earliest.
  ///
  /// - Parameters:
  ///   - duration: The duration of its fetch.
  ///   - askedAt: The time when the store was asked for it.
  ///   - slack: How long after the end of its fetch it may have been stored, if the store does not know the
  ///     time of its request.
  /// - Returns: The time, by the clock of `askedAt`.
  func requested(fetchedIn duration: Duration, askedAt: Duration, slack: Duration) -> Duration {
    // The value was requested after its lease was taken, and the store measured the age after it
    // was asked.
    askedAt - (requestAge ?? age + duration + slack)
  }
}
