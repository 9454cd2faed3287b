/// Decides whether a store that failed is asked again.
///
/// | state | a call | the call succeeds | the call fails |
/// |---|---|---|---|
/// | closed | asks | closed | open, for the first pause |
/// | open | does not ask | – | – |
/// | open, after the pause | one asks, the others do not | closed | open, for twice the pause |
///
/// A random number from 0.5 to 1 multiplies each pause, so that many machines do not ask at the same
/// time.
struct SharedBreaker: Equatable, Sendable {
  private enum State: Equatable {
    case closed
    case open(until: Duration)
    /// One call asks the store. If the call has no result at the time `until`, another call may ask.
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

  /// Whether the store counts as away, because it did not answer.
  var isOpen: Bool { state != .closed }

  /// The pause until the store may be asked again; `nil` if it may be asked now.
  func pause(at now: Duration) -> Duration? {
    switch state {
    case .closed: nil
    case .open(let until), .probing(let until): until > now ? until - now : nil
    }
  }

  /// Whether a call may ask the store; if so, report the call's result to this object.
  mutating func asks(at now: Duration) -> Bool {
    switch state {
    case .closed: return true
    case .open(let until), .probing(let until):
      guard now >= until else { return false }
      state = .probing(until: now + probeTimeout)
      return true
    }
  }

  /// Closes the breaker, because the store answered.
  ///
  /// - Returns: Whether the store counted as away until now.
  mutating func succeeded() -> Bool {
    defer { (state, failures) = (.closed, 0) }
    return state != .closed
  }

  /// Opens the breaker for a pause, because the store did not answer.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - chance: A random number in 0..<1.
  /// - Returns: Whether the store counted as answering until now.
  mutating func failed(at now: Duration, chance: Double) -> Bool {
    let wasClosed = state == .closed
    // A call that was under way when the breaker opened tells nothing new if it fails, too.
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
