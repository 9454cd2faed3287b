/// The rounds of a measurement, of which the fastest counts, because noise only ever adds time.
///
/// There are at least the given number of rounds, and as many more as half a second allows: a shared
/// processor may be slow for longer than a few rounds take.
///
/// ```swift
/// var rounds = Rounds(atLeast: 60)
/// while rounds.goOn() { rounds.measure { work() } }
/// return rounds.fastest
/// ```
struct Rounds {
  private static let span = Duration.milliseconds(500)

  private let least: Int
  private let clock = ContinuousClock()
  private let begin: ContinuousClock.Instant
  /// The number of rounds that have begun.
  private(set) var count = 0
  /// The shortest time of a round, in nanoseconds.
  private(set) var fastest = Double.infinity

  /// Begins a measurement.
  ///
  /// - Parameter least: How many rounds there are at least.
  init(atLeast least: Int) {
    self.least = least
    begin = clock.now
  }

  /// Begins another round; `false` if the measurement is over.
  mutating func goOn() -> Bool {
    guard count < least || clock.now - begin < Self.span else { return false }
    count += 1
    return true
  }

  /// Measures a round.
  mutating func measure(_ body: () -> Void) {
    let start = clock.now
    body()
    took(clock.now - start)
  }

  /// Measures a round that suspends.
  mutating func measure(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Void
  ) async {
    let start = clock.now
    await body()
    took(clock.now - start)
  }

  private mutating func took(_ duration: Duration) {
    fastest = min(fastest, nanoseconds(duration))
  }
}
