import Testing

@testable import StreamQuery

/// When fresh data is refetched.
struct RefreshAheadTests {
  /// The age in seconds, of data that is stale after 100 s.
  private func age(
    _ refresh: RefreshAhead,
    chance: Double = 0.5,
    after duration: Double = 2
  ) -> Double? {
    refresh.age(before: .seconds(100), chance: chance, after: .seconds(duration))
      .map { Double($0.nanoseconds) / 1e9 }
  }

  @Test func aFractionIsAPartOfTheStaleTime() {
    expectEqual(age(.fraction(0.75)), 75)
    expectEqual(age(.fraction(0.75), chance: 0.9, after: 60), 75)
    expectEqual(age(.fraction(0)), 0)
    expectNil(age(.fraction(1)))
  }

  @Test func jitterMovesItBothWays() {
    let refresh = RefreshAhead.fraction(0.75, jitter: 0.25)
    let ages = [0, 0.25, 0.5, 0.75, 1.0].map { age(refresh, chance: $0) }
    expectEqual(ages, [50, 62.5, 75, 87.5, nil])
    expectEqual(age(.fraction(0.25, jitter: 0.5), chance: 0), 0)
  }

  /// Early by the duration times a number whose mean is 1.
  @Test func aProbabilityDependsOnTheDuration() {
    expectNil(age(.probabilistic(), chance: 0))
    expectNil(age(.probabilistic(), chance: 0.99, after: 0))
    expectEqual(age(.probabilistic(), chance: 0.99, after: 1e6), 0)
    let earliness = (0..<1_000).map { step -> Double in
      100 - (age(.probabilistic(), chance: (Double(step) + 0.5) / 1_000) ?? 100)
    }
    expectEqual(earliness, earliness.sorted())
    let mean = earliness.reduce(0, +) / 1_000
    #expect(abs(mean - 2) < 0.01)
    let doubled = age(.probabilistic(beta: 2), chance: 0.5).map { 100 - $0 }
    let single = age(.probabilistic(), chance: 0.5).map { 100 - $0 }
    #expect(abs((doubled ?? 0) - 2 * (single ?? 0)) < 1e-6)
  }

  @Test func whatIsNoNumberIsOff() {
    for refresh in [
      RefreshAhead.off, .fraction(.nan), .fraction(.infinity), .probabilistic(beta: .nan),
      .probabilistic(beta: 0), .probabilistic(beta: -1),
    ] {
      expect(refresh.isOff)
      expectNil(age(refresh))
    }
    expectEqual(age(.fraction(0.5, jitter: .nan)), 50)
    expectEqual(age(.probabilistic(beta: .infinity)), 0)
    expectNil(age(.probabilistic(beta: .infinity), after: 0))
    expectNil(age(.fraction(0.5), chance: .nan, after: 0))
  }

  @Test func whatNeverBecomesStaleIsNeverDue() {
    let refresh = RefreshAhead.fraction(0)
    expectNil(refresh.age(before: .infinite, chance: 0, after: .zero))
    expectNil(refresh.age(before: .zero, chance: 0, after: .zero))
    expectEqual(refresh.age(before: .longest, chance: 0, after: .longest), .zero)
  }
}
