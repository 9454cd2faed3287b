internal import StreamQuery

/// The state of a fetch of a shared query.
struct FlightRun: Sendable {
  let id: FlightID
  let key: SharedKey
  let settings: SharedSettings
  let context: FetchContext
  var rounds: SharedRounds
  /// The store's entry, if the store had one that was valid but too old.
  var present: SharedEntry?
  /// The time when the fetch last asked the store.
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

/// An answer that has not been compared yet with the changes since its request.
struct FlightAnswer<Value: Sendable>: Sendable {
  var value: Value
  /// The source of the answer.
  var origin: SharedTable.Answer
  /// The age of the answer.
  var age: Duration
  /// The latest possible time at which the answer was requested from upstream.
  var requestedAt: Duration
  /// Whether the answer is an entry of the store.
  var isTaken = false
  /// Whether upstream answered that the client's data has not changed.
  var isKept = false
  /// Whether upstream reported an age of the answer.
  ///
  /// Then the answer may come from a cache before upstream, and may be stale although its version is the
  /// newest.
  var isAged = false

  /// The version of the answer; `nil` if the store does not have it.
  var version: SharedVersion? {
    switch origin {
    case .stored(let version): version
    case .unversioned: nil
    }
  }
}
