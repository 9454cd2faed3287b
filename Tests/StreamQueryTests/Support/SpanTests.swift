import Testing

@testable import StreamQuery

@Suite("Law 11: no length of time traps") struct SpanTests {
  static let century = Duration.seconds(3_155_760_000)

  @Test(arguments: [
    (Duration.zero, 0), (.seconds(-1), 0), (.nanoseconds(-1), 0),
    (Duration(secondsComponent: 0, attosecondsComponent: -1), 0),
    (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
    (.nanoseconds(1), 1), (.milliseconds(1_500), 1_500_000_000),
  ])
  func clampsToNanosecondsAtOrAboveZero(_ duration: Duration, _ nanoseconds: Int) {
    expectEqual(TimeSpan(duration).nanoseconds, Int64(nanoseconds))
  }

  @Test(arguments: [
    (Duration.seconds(-1), 0), (.zero, 0), (.nanoseconds(1), 1),
    (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
    (Duration(secondsComponent: 0, attosecondsComponent: 1_000_000_001), 2),
  ])
  func aWaitIsRoundedUp(_ duration: Duration, _ nanoseconds: Int) {
    expectEqual(TimeSpan.roundingUp(duration).nanoseconds, Int64(nanoseconds))
    expectEqual(TimeSpan.roundingUp(Self.century + duration), TimeSpan(Self.century + duration))
  }

  @Test func aHundredYearsAreTheLongestFiniteSpan() {
    expectEqual(TimeSpan(Self.century), .longest)
    expect(!TimeSpan(Self.century).isInfinite)
    expect(TimeSpan(Self.century + .nanoseconds(1)).isInfinite)
    expectEqual(TimeSpan(TimeSpan.longest.duration), .longest)
    #expect(TimeSpan.longest < .infinite)
  }

  @Test(
    "Durations beyond what their own components can hold are infinite or zero",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 15,
      .seconds(Int64.min) * 15, .seconds(1e15),
    ]
  )
  func enormous(_ duration: Duration) {
    expectEqual(TimeSpan(duration), duration < .zero ? .zero : .infinite)
  }

  @Test func anInfiniteSpanSleepsForTheLongest() {
    expectEqual(TimeSpan.infinite.duration, Self.century)
    expectEqual(TimeSpan.zero.duration, .zero)
    expectEqual(TimeSpan(.seconds(3)).duration, .seconds(3))
  }

  @Test(arguments: [
    (Duration.minutes(5), Duration.seconds(300)), (.minutes(-2), .seconds(-120)),
    (.minutes(1.5), .seconds(90)), (.hours(2), .seconds(7_200)), (.hours(0.25), .seconds(900)),
    (.hours(UInt8(255)), .seconds(918_000)), (.minutes(Double.nan), .zero),
    (.hours(-Double.nan), .zero),
  ])
  func minutesAndHours(_ duration: Duration, _ seconds: Duration) {
    expectEqual(duration, seconds)
  }

  @Test(
    "Minutes and hours beyond all bounds mean for ever, or nothing",
    arguments: [
      (Duration.minutes(Int64.max), TimeSpan.infinite), (.minutes(Int64.min), .zero),
      (.hours(UInt64.max), .infinite), (.hours(Int64.min), .zero),
      (.minutes(Double.infinity), .infinite), (.hours(Double.greatestFiniteMagnitude), .infinite),
      (.hours(-Double.infinity), .zero), (.minutes(Double.leastNonzeroMagnitude), .zero),
    ]
  )
  func absurdMinutes(_ duration: Duration, _ span: TimeSpan) {
    expectEqual(TimeSpan(duration), span)
  }

  @Test(
    "Seconds of an option beyond all bounds mean for ever, or nothing",
    arguments: [
      (Double.infinity, TimeSpan.infinite), (Double.greatestFiniteMagnitude, .infinite),
      (-Double.infinity, .zero), (Double.nan, .zero), (1.5, TimeSpan(.milliseconds(1_500))),
    ]
  )
  func absurdSeconds(_ seconds: Double, _ span: TimeSpan) {
    expectEqual(Option.seconds(seconds).span, span)
  }

  private struct Option: ExpressibleByDuration {
    let span: TimeSpan

    init(_ duration: Duration) { span = TimeSpan(duration) }
  }
}

@Suite("Moments and timestamps") struct MomentTests {
  @Test func aMomentPlusASpanIsLaterOrNever() {
    expectEqual(Instant.zero + .seconds(2), .seconds(2))
    expectNil(Instant.zero + .infinite)
    expectNil(Instant(nanoseconds: .max) + TimeSpan(.nanoseconds(1)))
    expectEqual(
      Instant(nanoseconds: .max - 1) + TimeSpan(.nanoseconds(1)),
      Instant(nanoseconds: .max)
    )
    #expect(Instant(nanoseconds: .min) + .longest != nil)
    expectEqual(Instant.distantPast + .longest, .zero)
  }

  static let now = Timestamp(instant: .seconds(100), date: 5_000)

  @Test(arguments: [
    (5_000.0, 100.0), (4_999.5, 99.5), (4_000, -900), (5_001, 100), (1e300, 100),
    (.infinity, 100),
  ])
  func placesADateAsLongAgoAsTheWallClockSays(_ date: Double, _ instant: Double) {
    let placed = Self.now.placing(date: date)
    expectEqual(placed.instant, .seconds(instant))
    expectEqual(placed.date, date)
  }

  @Test(arguments: [-1e300, -Double.infinity, -.greatestFiniteMagnitude, -4e9])
  func aDateOfLongAgoIsAsOldAsCanBe(_ date: Double) {
    expectEqual(Self.now.placing(date: date), Timestamp(instant: .distantPast, date: date))
  }

  @Test(arguments: [2.253, 0.003, -5.487, -0.972])
  func aDateIsPlacedWithoutTheNoiseOfItsDigits(_ offset: Double) {
    let today = 1_021_692_800.0
    let now = Timestamp(instant: .seconds(2.254), date: today + 2.254)
    expectEqual(now.placing(date: today + offset).instant, .seconds(offset))
  }

  @Test("A date that is no number is now, on the time line and for people")
  func notANumber() {
    expectEqual(Self.now.placing(date: .nan), Self.now)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func aWallClockThatTellsNonsenseTrapsNothing(_ date: Double) {
    let now = Timestamp(instant: .seconds(1), date: date)
    for other in [0, 1e18, -1e18, Double.nan, .infinity, -.infinity] {
      let placed = now.placing(date: other)
      #expect(placed.instant <= now.instant)
      #expect(placed.instant >= .distantPast)
    }
  }

  @Test func placingAtTheEdgesOfTheTimeLineStaysOnIt() {
    let last = Timestamp(instant: Instant(nanoseconds: TimeSpan.longest.nanoseconds), date: 0)
    let first = Timestamp(instant: .zero, date: 0)
    for age in [0, 1, 1e9, 3_155_759_999, 3_155_760_000, 3_155_760_001] {
      #expect(first.placing(date: -age).instant >= .distantPast)
      #expect(last.placing(date: -age).instant <= last.instant)
    }
  }
}
