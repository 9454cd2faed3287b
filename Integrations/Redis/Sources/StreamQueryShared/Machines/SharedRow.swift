/// The facts that a peer has about a key that it has fetched, fetches, or has written.
struct SharedRow: Sendable {
  var marks: [SharedMark]
  /// The version of the data; `nil` if there is no data, or it did not come from the store.
  var landed: SharedVersion?
  /// The bounds for an entry that may follow the data.
  var bounds = SharedBounds()
  /// The time when the data came; `nil` if none has.
  var landedAt: Duration?
  /// Whether the data has arrived in the client.
  ///
  /// If the client does not have it then, the client has dropped it.
  var isInClient = false
  /// The number of the last answer, write or arrival in the client.
  var sequence: UInt64 = 0
  /// The latest possible time of the request for the shown value, which is the data or an outdated
  /// answer in its place.
  var requestedAt: Duration?
  /// Whether the data is not trusted, because of news of the log, or because the log was out of
  /// reach.
  var isSuspect = false
  /// The newest value that the log has reported.
  var stored: RecentMarks.SeenInvalidation?
  /// The newest invalidation of any of its marks, with the highest version and sequence number.
  ///
  /// ``RecentMarks`` may forget it while a fetch is under way.
  var invalidated: RecentMarks.SeenInvalidation?
  /// The last news of the log.
  var news: (version: SharedVersion, news: SharedNews)?
  var flights: [FlightID: SharedFlight] = [:]
  /// The newest fetch; an older one may still run if it ignores its cancellation, but does not
  /// land.
  var newest: FlightID?

  /// The number of suspicions that are not marked in the client yet.
  ///
  /// Meanwhile no fetch begins or lands, so that newer data is not marked.
  var marking = 0
  /// The facts that apply if the last answer does not land, because its fetch was cancelled.
  var previous: Previous?

  /// The facts before an answer.
  struct Previous: Sendable {
    var landed: SharedVersion?
    var bounds: SharedBounds
    var landedAt: Duration?
    var isSuspect: Bool
  }
}
