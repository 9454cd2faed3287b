/// What a peer knows of a key that it has fetched, fetches, or has written.
struct SharedRow: Sendable {
  var marks: [SharedMark]
  /// The version of the data; `nil` if it has none, or did not come from the store.
  var landed: SharedVersion?
  /// From when an entry must be that follows the data.
  var bounds = SharedBounds()
  /// When the data came; `nil` if none has.
  var landedAt: Duration?
  /// Whether the data was in the client since then: what is not there any more has left it.
  var hasArrived = false
  /// The number of what came last: an answer, a write, or its arrival in the client.
  var arrival: UInt64 = 0
  /// When what is shown was requested, at the latest: the data, or an outdated answer in its place.
  var requestedAt: Duration?
  /// The data is not to be trusted, because of what the log told or did not tell.
  var isDoubted = false
  /// The newest value that the log told of.
  var stored: RecentMarks.Sight?
  /// The newest invalidation of any of its marks, with the highest version and place.
  ///
  /// ``RecentMarks`` may forget it while a fetch is under way.
  var invalidated: RecentMarks.Sight?
  /// What the log told last.
  var news: (version: SharedVersion, news: SharedNews)?
  var flights: [FlightID: SharedFlight] = [:]
  /// The newest fetch: an older one may still run if it ignores its cancellation, but does not
  /// land.
  var newest: FlightID?

  /// How many doubts are decided that are not marked in the client yet: until then nothing begins
  /// or lands, so that no mark hits what is newer.
  var marking = 0
  /// What is true if the last answer does not land: the fetch may be cancelled before.
  var former: Former?

  /// What was known before an answer.
  struct Former: Sendable {
    var landed: SharedVersion?
    var bounds: SharedBounds
    var landedAt: Duration?
    var isDoubted: Bool
  }
}
