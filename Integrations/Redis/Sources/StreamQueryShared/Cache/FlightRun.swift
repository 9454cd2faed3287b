internal import StreamQuery

/// The state of a fetch of a shared query.
struct FlightRun: Sendable {
  let id: FlightID
  let key: SharedKey
  let settings: SharedSettings
  let context: FetchContext
  var rounds: SharedRounds
  /// The entry that the store had, which was valid but too old.
  var present: SharedEntry?
  /// The time when the store was last asked.
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

/// An answer of which it is not known yet whether it is outdated.
struct FlightAnswer<Value: Sendable>: Sendable {
  var value: Value
  /// The source of the answer.
  var origin: SharedTable.Answer
  /// The age of the answer.
  var age: Duration
  /// The time when it was requested, at the latest.
  var requestedAt: Duration
  /// Whether it is an entry that another machine has stored.
  var isTaken = false
  /// Whether upstream found that the data is still good.
  var isKept = false
  /// Whether upstream reported an age.
  ///
  /// Versions say nothing about that age.
  var isAged = false

  /// Its version; `nil` if it did not come from the store.
  var version: SharedVersion? {
    switch origin {
    case .stored(let version): version
    case .unversioned: nil
    }
  }
}
