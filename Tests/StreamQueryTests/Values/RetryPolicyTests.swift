import Testing

@testable import StreamQuery

@Suite("Retries: T08") struct RetryPolicyTests {
  struct Failure: Error {}

  static func delays(
    _ policy: RetryPolicy,
    _ failures: Range<Int>,
    jitter: Double = 0
  ) -> [TimeSpan?] {
    failures.map { policy.delay(failures: $0, error: Failure(), jitter: jitter) }
  }

  @Test func theStandardBackoffDoublesUpToThirtySeconds() {
    expectEqual(Self.delays(.forever, 0..<8), [1, 2, 4, 8, 16, 30, 30, 30].map(TimeSpan.seconds))
  }

  @Test(arguments: [(3, 3), (1, 1), (0, 0), (-1, 0), (Int.min, 0)])
  func retriesAsOftenAsToldAndNegativeCountsMeanNone(_ count: Int, _ retries: Int) {
    let delays = Self.delays(.times(count), 0..<6)
    expectEqual(delays.prefix { $0 != nil }.count, retries)
    expectEqual(Self.delays(RetryPolicy(integerLiteral: count), 0..<6), delays)
  }

  @Test func neverAndForeverAreWhatTheySay() {
    expectEqual(Self.delays(.never, 0..<3), [nil, nil, nil])
    expectEqual(Self.delays(.forever, 1_000_000..<1_000_001), [.seconds(30)])
  }

  @Test func aPredicateCountsTheFailuresBeforeThisOneAndSeesTheError() {
    let policy = RetryPolicy.while { failures, error in failures < 2 && error is Failure }
    expectEqual(Self.delays(policy, 0..<3), [.seconds(1), .seconds(2), nil])
    expectNil(policy.delay(failures: 0, error: CancellationError(), jitter: 0))
  }

  @Test func whatAPolicyLeavesOpenIsAsTheOneBelowSays() {
    let slow = RetryPolicy.backoff(.constant(.seconds(7)))
    let twice = RetryPolicy.times(2)
    let seven: [TimeSpan?] = [.seconds(7), .seconds(7), nil]
    expectEqual(Self.delays(slow.over(twice), 0..<3), seven)
    expectEqual(Self.delays(twice.over(slow), 0..<3), seven)
    // What it says itself holds.
    expectNil(Self.delays(twice.over(.forever.backoff(.constant(.zero))), 0..<3)[2])
    expectEqual(Self.delays(slow.over(twice.backoff(.constant(.zero))), 0..<3), seven)
    expectEqual(Self.delays(twice.over(nil), 0..<3), [.seconds(1), .seconds(2), nil])
    // Of three layers each says one thing.
    let quick = RetryPolicy.backoff(.constant(.seconds(3)))
    expectEqual(Self.delays(quick.over(twice.over(slow)), 0..<2), [.seconds(3), .seconds(3)])
    expectEqual(Self.delays(quick.over(slow).over(twice), 0..<2), [.seconds(3), .seconds(3)])
    // Nobody said how often.
    expectEqual(Self.delays(slow, 0..<1), [nil])
    expectNil(RetryPolicy.merge(nil, over: nil).map { _ in 0 })
    expectEqual(
      RetryPolicy.merge(nil, over: slow)?.over(twice).delay(
        failures: 0,
        error: Failure(),
        jitter: 0
      ),
      .seconds(7)
    )
  }

  @Test func anotherBackoffKeepsTheDecision() {
    let policy = RetryPolicy.times(2).backoff(.constant(.milliseconds(5)))
    expectEqual(Self.delays(policy, 0..<3), [.seconds(0.005), .seconds(0.005), nil])
  }

  @Test func aCustomBackoffSeesFailuresAndError() {
    let backoff = RetryBackoff.custom { failures, error in
      error is Failure ? .seconds(failures * 10) : .zero
    }
    expectEqual(Self.delays(.forever.backoff(backoff), 0..<3), [.zero, .seconds(10), .seconds(20)])
  }

  @Test func jitterTakesItsShareOffTheWait() {
    let half = RetryBackoff.exponential(first: .seconds(8), limit: .seconds(8), jitter: 0.5)
    expectEqual(Self.delays(.forever.backoff(half), 0..<1, jitter: 0), [.seconds(8)])
    expectEqual(Self.delays(.forever.backoff(half), 0..<1, jitter: 0.5), [.seconds(6)])
    let all = RetryBackoff.exponential(first: .seconds(8), jitter: 1)
    expectEqual(Self.delays(.forever.backoff(all), 0..<1, jitter: 0.75), [.seconds(2)])
  }

  @Test func noJitterDrawsNoNumber() {
    var drawn = 0
    func draw() -> Double {
      drawn += 1
      return 0
    }
    _ = RetryPolicy.forever.delay(failures: 0, error: Failure(), jitter: draw())
    expectEqual(drawn, 0)
    _ = RetryPolicy.forever.backoff(.exponential(jitter: 0.1))
      .delay(failures: 0, error: Failure(), jitter: draw())
    expectEqual(drawn, 1)
  }

  static let durations: [Duration] = [
    .zero, .seconds(-5), .nanoseconds(1), .seconds(1), .seconds(Int64.max) * 15,
    .seconds(Int64.min) * 15, .seconds(1e15),
  ]
  static let numbers: [Double] = [
    0, -1, 0.5, 1, 1.000_000_1, 2, 1e308, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
  ]

  @Test(arguments: durations, durations)
  func absurdBackoffsTrapNothingAndNeverExceedTheirLimit(_ first: Duration, _ limit: Duration) {
    for factor in Self.numbers {
      for share in Self.numbers {
        let backoff = RetryBackoff.exponential(
          first: first,
          factor: factor,
          limit: limit,
          jitter: share
        )
        for failures in [0, 1, 7, 100, -3, Int.min] {
          for jitter in [0, 0.999] {
            let delay = RetryPolicy.forever.backoff(backoff)
              .delay(failures: failures, error: Failure(), jitter: jitter)
            #expect(delay.map { $0 <= TimeSpan(limit) } ?? false)
          }
        }
      }
    }
  }

  @Test(arguments: durations)
  func absurdConstantsAreClamped(_ duration: Duration) {
    expectEqual(Self.delays(.forever.backoff(.constant(duration)), 0..<1), [TimeSpan(duration)])
  }

  @Test(arguments: [0.5, -2, Double.nan, .infinity])
  func aFactorThatShrinksOrIsNoNumberKeepsTheFirstWait(_ factor: Double) {
    let backoff = RetryBackoff.exponential(first: .seconds(3), factor: factor)
    expectEqual(Self.delays(.forever.backoff(backoff), 0..<3), [3, 3, 3].map(TimeSpan.seconds))
  }
}
