/// Decides whether a store that failed is asked again.
///
/// | state | a call | it succeeds | it fails |
/// |---|---|---|---|
/// | closed | asks | closed | open, for the first pause |
/// | open | does not ask | – | – |
/// | over | one asks, the others do not | closed | open, for twice the pause |
///
/// The length of a pause is random, from half of it to all of it, so that many machines do not come
/// back at once.
struct SharedBreaker: Equatable, Sendable {
  private enum State: Equatable {
    case closed
    case open(until: Duration)
    /// One call asks, until this time.
    case probing(until: Duration)
  }

  private var state = State.closed
  private var failures = 0
  private let first: Duration
  private let longest: Duration
  private let probeTimeout: Duration

  /// Creates a closed breaker.
  ///
  /// - Parameters:
  ///   - first: The pause after the first failure.
  ///   - longest: The longest pause.
  ///   - probeTimeout: The time after which a probe without a result is given up.
  init(first: Duration, longest: Duration, probeTimeout: Duration) {
    self.first = first
    self.longest = max(first, longest)
    self.probeTimeout = probeTimeout
  }

  /// Whether the store is believed to be away.
  var isOpen: Bool { state != .closed }

  /// The pause until the store may be asked again; `nil` if it may be asked now.
  func pause(at now: Duration) -> Duration? {
    switch state {
    case .closed: nil
    case .open(let until), .probing(let until): until > now ? until - now : nil
    }
  }

  /// Whether a call may ask; if so, report its result.
  mutating func asks(at now: Duration) -> Bool {
    switch state {
    case .closed: return true
    case .open(let until), .probing(let until):
      guard now >= until else { return false }
      state = .probing(until: now + probeTimeout)
      return true
    }
  }

  /// The store answered.
  ///
  /// - Returns: Whether it was away until now.
  mutating func succeeded() -> Bool {
    defer { (state, failures) = (.closed, 0) }
    return state != .closed
  }

  /// The store did not answer.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - chance: A random number in 0..<1.
  /// - Returns: Whether it was there until now.
  mutating func failed(at now: Duration, chance: Double) -> Bool {
    let wasClosed = state == .closed
    // If a call was under way when the store failed, its failure is no news.
    if case .open(let until) = state, now < until { return false }
    let pause = pause(after: failures)
    failures = min(failures + 1, 30)
    state = .open(until: now + pause / 2 + pause * (chance / 2))
    return wasClosed
  }

  private func pause(after failures: Int) -> Duration {
    var pause = first
    for _ in 0..<failures where pause < longest { pause = pause * 2 }
    return min(pause, longest)
  }
}
