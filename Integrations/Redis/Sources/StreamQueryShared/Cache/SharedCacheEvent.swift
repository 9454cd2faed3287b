/// An event in a ``SharedCache``, for logs and metrics.
public enum SharedCacheEvent: Sendable {
  /// A fetch was answered with an entry of the store.
  case hit(key: String, age: Duration)
  /// A fetch asks upstream for all machines.
  case leads(key: String)
  /// A fetch waits for another machine, which fetches for all.
  case follows(key: String)
  /// A fetch asks upstream for this machine alone.
  case alone(key: String, Reason)
  /// An answer was stored for all machines.
  case committed(key: String)
  /// An answer was outdated when it came. The fetch begins again or, after its last round, returns
  /// the answer as a stale one.
  case outdated(key: String, again: Bool)
  /// An entry cannot be read, and counts as missing.
  case unreadable(key: String)
  /// A fetch failed here, because it failed on the machine that fetched for all.
  case failedElsewhere(key: String, reason: String)
  /// The log was read for the first time since ``SharedCache/run()`` was called: from now on, this
  /// machine learns of changes by others.
  case followsLog
  /// Other machines changed data, so that `count` entries here are not trusted any more.
  case invalidated(count: Int)
  /// Messages of the log were lost, so that no shared entry is trusted any more; `count` were trusted before.
  case gap(count: Int)
  /// The log was out of reach for too long, so that `count` entries here are not trusted any more.
  case untrusted(count: Int)
  /// The store does not answer.
  case storeAway(SharedStoreError)
  /// The store answers again.
  case storeBack
  /// The cache was released while the store did not answer, so no ``storeBack`` follows.
  case releasedWhileAway

  /// The reason why a fetch asks upstream for this machine alone.
  public enum Reason: String, Hashable, Sendable {
    /// The store does not answer.
    case storeAway
    /// The fetch waited for others until its time was over.
    case impatient
    /// The value is too large: ``SharedCacheConfiguration/maxValueBytes``, or the store's own limit.
    ///
    /// Each machine fetches it for itself.
    case tooLarge
    /// The key is too large for the store, the value cannot be encoded, or the machine that fetched
    /// could not share it.
    case unshareable
    /// The fetch has begun again as often as it may, because each answer was outdated.
    case outdated
    /// The fetch adds a page to an infinite query, and so does not have the whole value.
    case part
  }
}
