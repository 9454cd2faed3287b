@_spi(SharedCache) internal import StreamQuery

/// The state behind the lock of a ``SharedCache``.
struct SharedState: Sendable {
  var table = SharedTable()
  var breaker: SharedBreaker
  var unsent = UnsentMarks()
  /// Decides when unsent invalidations are sent again, by the outcomes of earlier attempts to send
  /// them.
  var sending: SharedBreaker
  /// The client's entries for the table's rows.
  var links: [String: SharedLink] = [:]
  /// The newest answer of each key, if it was found valid and is not known to be the client's data yet.
  var answers: [String: FetchAnswer] = [:]
  /// The tasks that wait until the client has marked the data of a key as invalidated.
  var parked: [String: [FirstResult<Void>]] = [:]
  /// The calls that wait to read the log when the present reader ends.
  var readers: [FirstResult<Void>] = []
  /// The fetches that wait for the log's news about their keys.
  var waiting: [FlightID: FirstResult<SharedNews?>] = [:]
  /// Decides when to search for rows that are not needed any more.
  var sweep = RowSweep()

  /// Whether a call may ask the store.
  mutating func asks(_ urgency: SharedCache.Urgency, at now: Duration) -> Bool {
    switch urgency {
    case .change: true
    case .fetch where table.log.isRead: !breaker.isOpen
    case .fetch, .log: breaker.asks(at: now)
    }
  }

  /// Whether unsent invalidations are sent now.
  mutating func sendsUnsent(at now: Duration) -> Bool {
    !unsent.isEmpty && sending.asks(at: now)
  }

  /// Begins a search for rows that are not needed, if one is due.
  mutating func beginsSweep() -> Bool {
    sweep.begins(rows: table.rows.count, bytes: table.bytes)
  }

  /// Notes the end of the search for rows that are not needed.
  mutating func endedSweep() { sweep.ended(rows: table.rows.count, bytes: table.bytes) }

  /// Forgets the answers that became the data.
  mutating func forgetLandedAnswers() {
    table.arrived(answers.lazy.filter { $0.value.hasLanded }.map(\.key))
    answers = answers.filter { !$0.value.hasLanded }
  }

  /// Registers a wait until the client has marked the data of a key as invalidated.
  mutating func park(_ key: String) -> FirstResult<Void> {
    let firstResult = FirstResult<Void>()
    parked[key, default: []].append(firstResult)
    return firstResult
  }

  init(breaker: SharedBreaker) {
    self.breaker = breaker
    sending = breaker
  }
}
