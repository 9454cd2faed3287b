/// A peer's knowledge of a key that the peer has fetched, fetches, or has written.
struct SharedRow: Sendable {
  var marks: [SharedMark]
  /// The version of the data; `nil` without data, during a fetch, or if the data did not come from the store.
  var landed: SharedVersion?
  /// The bounds for an entry that may replace the data.
  var bounds = SharedBounds()
  /// The time when this machine received the data; `nil` if there is no data.
  var landedAt: Duration?
  /// Whether the client is known to have stored the data.
  ///
  /// If this is `true` and the client has no data, the client has dropped the data, so the row can be
  /// removed.
  var isInClient = false
  /// The value of ``SharedTable/arrivals`` when data was last on its way to the client, or stored there.
  var sequence: UInt64 = 0
  /// The latest possible time at which the client's value was requested from upstream.
  ///
  /// The value is the data, or an outdated answer that the client has instead of the data.
  var requestedAt: Duration?
  /// Whether the data is not trusted, because of a message of the log, or because the log was out of reach.
  var isSuspect = false
  /// The newest message of the log which says that the store has a value for the key.
  var stored: RecentMarks.SeenInvalidation?
  /// The newest invalidation of any of ``marks`` (keys, prefixes, tags): highest version and message number.
  ///
  /// It is kept here as well, because ``RecentMarks`` may forget it during a fetch.
  var invalidated: RecentMarks.SeenInvalidation?
  /// The log's last news about the key.
  var news: (version: SharedVersion, news: SharedNews)?
  var flights: [FlightID: SharedFlight] = [:]
  /// The newest fetch; an older one may still run if it ignores its cancellation, but its answer is
  /// not used.
  var newest: FlightID?

  /// The number of changes for which the client is about to mark the data as invalidated, but has not done
  /// so yet.
  ///
  /// Until the client has done so, no fetch begins or ends: otherwise newer data would be invalidated.
  var marking = 0
  /// The facts to restore if the last answer never becomes the data, because its fetch was cancelled.
  var previous: Previous?

  /// The facts about the data before the last answer.
  struct Previous: Sendable {
    var landed: SharedVersion?
    var bounds: SharedBounds
    var landedAt: Duration?
    var isSuspect: Bool
  }
}
