@_spi(SharedCache) internal import StreamQuery

/// What is behind the lock of a ``SharedCache``.
struct SharedState: Sendable {
  var table = SharedTable()
  var breaker: SharedBreaker
  var unsent = UnsentMarks()
  /// When what the store did not take is sent again; only what became of that changes it.
  var sending: SharedBreaker
  /// The entries of the client that the table's rows are about.
  var links: [String: SharedLink] = [:]
  /// The last answers that were good when they were compared, and may not have landed yet.
  var answers: [String: FetchAnswer] = [:]
  /// Who waits until what was told of a key is marked in the client.
  var parked: [String: [Race<Void>]] = [:]
  /// Who waits to read the log when nobody else does.
  var readers: [Race<Void>] = []
  /// Fetches that wait for news.
  var waiting: [FlightID: Race<SharedNews?>] = [:]
  /// When rows are looked for that are not needed any more.
  var sweep = RowSweep()

  /// Whether a call may ask the store.
  mutating func asks(_ urgency: SharedCache.Urgency, at now: Duration) -> Bool {
    switch urgency {
    case .change: true
    case .fetch where table.log.isRead: !breaker.isOpen
    case .fetch, .log: breaker.asks(at: now)
    }
  }

  /// Whether what the store did not take is sent now.
  mutating func sendsUnsent(at now: Duration) -> Bool {
    !unsent.isEmpty && sending.asks(at: now)
  }

  /// Whether rows are looked for now that are not needed any more.
  mutating func beginsSweep() -> Bool {
    sweep.begins(rows: table.rows.count, bytes: table.bytes)
  }

  /// The look for rows that are not needed has ended.
  mutating func endedSweep() { sweep.ended(rows: table.rows.count, bytes: table.bytes) }

  /// Forgets the answers that became the data.
  mutating func forgetLandedAnswers() {
    table.arrived(answers.lazy.filter { $0.value.hasLanded }.map(\.key))
    answers = answers.filter { !$0.value.hasLanded }
  }

  /// Waits until what was told of a key is marked in the client.
  mutating func park(_ key: String) -> Race<Void> {
    let race = Race<Void>()
    parked[key, default: []].append(race)
    return race
  }

  init(breaker: SharedBreaker) {
    self.breaker = breaker
    sending = breaker
  }
}
