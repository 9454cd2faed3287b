@_spi(SharedCache) internal import StreamQuery

/// The state behind the lock of a ``SharedCache``.
struct SharedState: Sendable {
  var table = SharedTable()
  var breaker: SharedBreaker
  var unsent = UnsentMarks()
  /// Decides when kept invalidations are sent again, by the outcomes of earlier attempts to send
  /// them.
  var sending: SharedBreaker
  /// The client's entries of the table's rows.
  var links: [String: SharedLink] = [:]
  /// The newest answers that were valid when they were compared, and that may not have landed yet.
  var answers: [String: FetchAnswer] = [:]
  /// The waits until suspicions about a key are marked in the client.
  var parked: [String: [FirstResult<Void>]] = [:]
  /// The calls that wait to read the log when the present reader ends.
  var readers: [FirstResult<Void>] = []
  /// The fetches that wait for news.
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

  /// Whether kept invalidations are sent now.
  mutating func sendsUnsent(at now: Duration) -> Bool {
    !unsent.isEmpty && sending.asks(at: now)
  }

  /// Whether a search for rows that are not needed begins now.
  mutating func beginsSweep() -> Bool {
    sweep.begins(rows: table.rows.count, bytes: table.bytes)
  }

  /// The search for rows that are not needed has ended.
  mutating func endedSweep() { sweep.ended(rows: table.rows.count, bytes: table.bytes) }

  /// Forgets the answers that became the data.
  mutating func forgetLandedAnswers() {
    table.arrived(answers.lazy.filter { $0.value.hasLanded }.map(\.key))
    answers = answers.filter { !$0.value.hasLanded }
  }

  /// Waits until suspicions about a key are marked in the client.
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
