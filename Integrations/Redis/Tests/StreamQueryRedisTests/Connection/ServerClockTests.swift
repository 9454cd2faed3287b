import Testing

@testable import StreamQueryRedis

struct ServerClockTests {
  let start = ContinuousClock.now
  let never: UInt64 = 9_007_199_254_730_000

  @Test func aServerThatToldNothingSetsNoLimit() {
    var clock = ServerClock()
    #expect(clock.microseconds(at: start) == never)
    let isAsked = clock.asks(at: start + .seconds(1_000_000))
    #expect(!isAsked)
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

  @Test func itIsAskedOnceAMinuteEvenIfItDoesNotAnswer() {
    var clock = ServerClock()
    clock.received(5, at: start)
    let early = [60, 61, 62, 121, 122, 200].map { clock.asks(at: start + .seconds($0)) }
    #expect(early == [false, true, false, false, true, true])
    clock.received(201_000_005, at: start + .seconds(201))
    let late = [261, 262].map { clock.asks(at: start + .seconds($0)) }
    #expect(late == [false, true])
  }

  @Test func aServerThatTellsNonsenseEndsNothing() {
    var clock = ServerClock()
    clock.received(.max, at: start)
    #expect(clock.microseconds(at: start + .seconds(1)) == never)
    clock.received(0, at: start)
    #expect(clock.microseconds(at: start - .seconds(1)) == 0)
  }
}
