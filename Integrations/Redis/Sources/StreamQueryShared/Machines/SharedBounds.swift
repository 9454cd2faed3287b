/// The bounds for an entry that may replace the present data, so that the data never becomes older.
///
/// Data from the store has a version. Data from upstream, for instance because the store did not answer, has
/// the time of its request instead. If messages of the log were lost after the data came, only the same entry
/// or a later one may replace it.
struct SharedBounds: Equatable, Sendable {
  /// The lowest version that the entry may have; `nil` if there is no such bound.
  var version: SharedVersion?
  /// The time of the present data's request: the entry must not have been requested earlier; `nil` if the
  /// time of the request does not matter.
  var requestedAt: Duration?
  /// The version of the present data, if the log has got another history since.
  ///
  /// An entry with the same version may replace the data, even if its request is not known to be late enough.
  var same: SharedVersion?

  /// Whether an entry may replace the present data.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - duration: How long the fetch of the entry took.
  ///   - askedAt: The time when this machine asked the store for the entry.
  ///   - slack: The longest time from the end of the fetch to the commit of the entry; counts if the entry
  ///     has no ``SharedEntry/requestAge``.
  /// - Returns: Whether the entry is at least as new as the data.
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
  /// The earliest possible time at which the value was requested from upstream.
  ///
  /// - Parameters:
  ///   - duration: How long the fetch of the entry took.
  ///   - askedAt: The time when this machine asked the store for the entry.
  ///   - slack: The longest time from the end of the fetch to the commit of the entry; counts if the entry
  ///     has no ``requestAge``.
  /// - Returns: The time, by the clock of `askedAt`.
  func requested(fetchedIn duration: Duration, askedAt: Duration, slack: Duration) -> Duration {
    // The value was requested after its lease was taken, and the store measured the age after this
    // machine had asked.
    askedAt - (requestAge ?? age + duration + slack)
  }
}
