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
    #expect(Span(duration).nanoseconds == Int64(nanoseconds))
  }

  @Test func aHundredYearsAreTheLongestFiniteSpan() {
    #expect(Span(Self.century) == .longest)
    #expect(!Span(Self.century).isInfinite)
    #expect(Span(Self.century + .nanoseconds(1)).isInfinite)
    #expect(Span(Span.longest.duration) == .longest)
    #expect(Span.longest < .infinite)
  }

  @Test(
    "Durations beyond what their own components can hold are infinite or zero",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 15,
      .seconds(Int64.min) * 15, .seconds(1e15),
    ]
  )
  func enormous(_ duration: Duration) {
    #expect(Span(duration) == (duration < .zero ? .zero : .infinite))
  }

  @Test func anInfiniteSpanSleepsForTheLongest() {
    #expect(Span.infinite.duration == Self.century)
    #expect(Span.zero.duration == .zero)
    #expect(Span(.seconds(3)).duration == .seconds(3))
  }

  @Test(arguments: [
    (Duration.minutes(5), Duration.seconds(300)), (.minutes(-2), .seconds(-120)),
    (.minutes(1.5), .seconds(90)), (.hours(2), .seconds(7_200)), (.hours(0.25), .seconds(900)),
    (.hours(UInt8(255)), .seconds(918_000)), (.minutes(Double.nan), .zero),
    (.hours(-Double.nan), .zero),
  ])
  func minutesAndHours(_ duration: Duration, _ seconds: Duration) {
    #expect(duration == seconds)
  }

  @Test(
    "Minutes and hours beyond all bounds mean for ever, or nothing",
    arguments: [
      (Duration.minutes(Int64.max), Span.infinite), (.minutes(Int64.min), .zero),
      (.hours(UInt64.max), .infinite), (.hours(Int64.min), .zero),
      (.minutes(Double.infinity), .infinite), (.hours(Double.greatestFiniteMagnitude), .infinite),
      (.hours(-Double.infinity), .zero), (.minutes(Double.leastNonzeroMagnitude), .zero),
    ]
  )
  func absurdMinutes(_ duration: Duration, _ span: Span) {
    #expect(Span(duration) == span)
  }
}

@Suite("Moments and timestamps") struct MomentTests {
  @Test func aMomentPlusASpanIsLaterOrNever() {
    #expect(Moment.zero + .seconds(2) == .seconds(2))
    #expect(Moment.zero + .infinite == nil)
    #expect(Moment(nanoseconds: .max) + Span(.nanoseconds(1)) == nil)
    #expect(Moment(nanoseconds: .max - 1) + Span(.nanoseconds(1)) == Moment(nanoseconds: .max))
    #expect(Moment(nanoseconds: .min) + .longest != nil)
    #expect(Moment.distantPast + .longest == .zero)
  }

  static let now = Timestamp(moment: .seconds(100), date: 5_000)

  @Test(arguments: [
    (5_000.0, 100.0), (4_999.5, 99.5), (4_000, -900), (5_001, 100), (1e300, 100),
    (.infinity, 100),
  ])
  func placesADateAsLongAgoAsTheWallClockSays(_ date: Double, _ moment: Double) {
    let placed = Self.now.placing(date: date)
    #expect(placed.moment == .seconds(moment))
    #expect(placed.date == date)
  }

  @Test(arguments: [-1e300, -Double.infinity, -.greatestFiniteMagnitude, -4e9])
  func aDateOfLongAgoIsAsOldAsCanBe(_ date: Double) {
    #expect(Self.now.placing(date: date) == Timestamp(moment: .distantPast, date: date))
  }

  @Test(arguments: [2.253, 0.003, -5.487, -0.972])
  func aDateIsPlacedWithoutTheNoiseOfItsDigits(_ offset: Double) {
    let today = 1_021_692_800.0
    let now = Timestamp(moment: .seconds(2.254), date: today + 2.254)
    #expect(now.placing(date: today + offset).moment == .seconds(offset))
  }

  @Test("A date that is no number is now, on the time line and for people")
  func notANumber() {
    #expect(Self.now.placing(date: .nan) == Self.now)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func aWallClockThatTellsNonsenseTrapsNothing(_ date: Double) {
    let now = Timestamp(moment: .seconds(1), date: date)
    for other in [0, 1e18, -1e18, Double.nan, .infinity, -.infinity] {
      let placed = now.placing(date: other)
      #expect(placed.moment <= now.moment)
      #expect(placed.moment >= .distantPast)
    }
  }

  @Test func placingAtTheEdgesOfTheTimeLineStaysOnIt() {
    let last = Timestamp(moment: Moment(nanoseconds: Span.longest.nanoseconds), date: 0)
    let first = Timestamp(moment: .zero, date: 0)
    for age in [0, 1, 1e9, 3_155_759_999, 3_155_760_000, 3_155_760_001] {
      #expect(first.placing(date: -age).moment >= .distantPast)
      #expect(last.placing(date: -age).moment <= last.moment)
    }
  }
}
