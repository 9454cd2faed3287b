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

  init(breaker: SharedBreaker) {
    self.breaker = breaker
  }
}
