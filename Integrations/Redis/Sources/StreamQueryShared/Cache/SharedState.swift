/// What is behind the lock of a ``SharedCache``.
struct SharedState: Sendable {
  var table = SharedTable()
  var breaker: SharedBreaker
  /// The entries of the client that the table's rows are about.
  var links: [String: SharedLink] = [:]
  /// Fetches that wait for news.
  var waiting: [FlightID: Race<SharedNews?>] = [:]
  /// At how many rows those are looked for that are not needed any more.
  var sweepsAt = SharedState.smallest

  static var smallest: Int { 1_024 }

  /// Whether a call may ask the store.
  mutating func asks(_ urgency: SharedCache.Urgency, at now: Duration) -> Bool {
    switch urgency {
    case .change: true
    case .fetch where table.log.isRead: !breaker.isOpen
    case .fetch, .log: breaker.asks(at: now)
    }
  }

  init(breaker: SharedBreaker) {
    self.breaker = breaker
  }
}
