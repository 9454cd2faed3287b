internal import StreamQuery

/// A fetch of a shared query, as far as it has come.
struct FlightRun: Sendable {
  let id: FlightID
  let key: SharedKey
  let settings: SharedSettings
  let context: FetchContext
  var rounds: SharedRounds
  /// The valid entry that the store had, although it was too old.
  var present: SharedEntry?
  /// When the store was asked last.
  var askedAt = Duration.zero

  init(
    id: FlightID,
    key: SharedKey,
    _ settings: SharedSettings,
    _ context: FetchContext,
    _ rounds: SharedRounds
  ) {
    self.id = id
    self.key = key
    self.settings = settings
    self.context = context
    self.rounds = rounds
  }
}

/// An answer that is there, before it is known whether it is outdated.
struct FlightAnswer<Value: Sendable>: Sendable {
  var value: Value
  /// Where it came from.
  var origin: SharedTable.Answer
  /// How old it is.
  var age: Duration
  /// When it was requested, at the latest.
  var requestedAt: Duration
  /// Whether it is an entry that somebody else has stored.
  var isTaken = false
  /// Whether upstream found that the data is still good.
  var isKept = false
  /// Whether upstream said that it was older than the request for it: versions know nothing of that.
  var isAged = false

  /// Its version; `nil` if it did not come from the store.
  var version: SharedVersion? {
    switch origin {
    case .stored(let version): version
    case .unversioned: nil
    }
  }
}
