import Testing

@testable import StreamQueryRedis

struct ServerClockTests {
  let start = ContinuousClock.now
  let never: UInt64 = 9_007_199_254_730_000

  @Test func aServerThatToldNothingSetsNoLimit() {
    let clock = ServerClock()
    #expect(clock.microseconds(at: start) == never)
    #expect(!clock.isOld(at: start + .seconds(1_000_000)))
  }

  @Test func itsTimeGoesOnFromWhatItTold() {
    var clock = ServerClock()
    clock.received(1_700_000_000_000_000, at: start)
    let offsets: [Duration] = [.zero, .milliseconds(300), .seconds(-2), .seconds(86_400)]
    let times = offsets.map { clock.microseconds(at: start + $0) }
    #expect(
      times == [
        1_700_000_000_000_000, 1_700_000_000_300_000, 1_699_999_998_000_000,
        1_700_086_400_000_000,
      ]
    )
  }

  @Test func itIsAskedAgainAfterAMinute() {
    var clock = ServerClock()
    clock.received(5, at: start)
    #expect(!clock.isOld(at: start + .seconds(60)))
    #expect(clock.isOld(at: start + .seconds(61)))
    clock.received(61_000_005, at: start + .seconds(61))
    #expect(!clock.isOld(at: start + .seconds(61)))
  }

  @Test func aServerThatTellsNonsenseEndsNothing() {
    var clock = ServerClock()
    clock.received(.max, at: start)
    #expect(clock.microseconds(at: start + .seconds(1)) == never)
    clock.received(0, at: start)
    #expect(clock.microseconds(at: start - .seconds(1)) == 0)
  }
}
