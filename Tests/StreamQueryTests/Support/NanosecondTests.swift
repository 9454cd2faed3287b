import Testing

@testable import StreamQuery

struct NanosecondTests {
  @Test func attosecondsAreDividedAsByHand() {
    let longest = Int128(TimeSpan.longest.nanoseconds)
    var cases: [Int128] = [0, 1, 999_999_999, 1_000_000_000, 1_000_000_001]
    for shift in 30...91 { cases += [(1 << shift) - 1, 1 << shift, (1 << shift) + 1] }
    cases += [(longest - 1) * 1_000_000_000, longest * 1_000_000_000 - 1, longest * 1_000_000_000]
    var random: UInt64 = 7
    for _ in 0..<1_000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      cases.append(Int128(random) * Int128(random >> 38) % (longest * 1_000_000_000))
    }
    for attoseconds in cases where attoseconds <= longest * 1_000_000_000 {
      expectEqual(TimeSpan.nanoseconds(attoseconds), Int64(attoseconds / 1_000_000_000))
    }
  }

  @Test func aSpanIsInfiniteAboveTheLongestAndZeroBelowANanosecond() {
    let (longest, instant) = (TimeSpan.longest.duration, Duration(attoseconds: 1))
    expectEqual(TimeSpan(longest), .longest)
    #expect(TimeSpan(longest - instant) < .longest)
    expect(TimeSpan(longest + instant).isInfinite)
    expect(TimeSpan(.seconds(Int64.max)).isInfinite)
    expectEqual(TimeSpan(instant), .zero)
    expectEqual(TimeSpan(.seconds(Int64.min)), .zero)
  }

  @Test func theClockOfNearlyEverybodyIsReadAsItRuns() {
    let clock = ContinuousClock()
    let before = clock.now
    let erased = ErasedClock(clock)
    let after = clock.now
    for _ in 0..<1_000 {
      let earlier = clock.now
      let instant = erased.now()
      let later = clock.now
      // Less what is lost below a nanosecond.
      #expect(.nanoseconds(instant.nanoseconds + 1) >= after.duration(to: earlier))
      #expect(.nanoseconds(instant.nanoseconds - 1) <= before.duration(to: later))
    }
  }
}
