import Testing

@testable import StreamQueryTesting

struct SleepersTests {
  private func sleepers(_ places: [(name: String, deadline: Int, isLast: Bool)]) -> Sleepers<String>
  {
    var sleepers = Sleepers<String>()
    for place in places {
      let ticket = sleepers.reserve(isBackground: false, isLast: place.isLast)
      let isParked = sleepers.park(place.name, on: ticket, until: .seconds(place.deadline))
      expect(isParked)
    }
    return sleepers
  }

  @Test func whoComesLastWakesAfterAllOfTheSameInstant() {
    var sleepers = sleepers([
      ("last", 1, true), ("first", 1, false), ("later", 2, false), ("lastToo", 1, true),
      ("second", 1, false),
    ])
    let woken = sleepers.popAll()
    expectEqual(woken, ["first", "second", "last", "lastToo", "later"])
  }

  @Test func whoComesLastIsLeftOutOnRequest() {
    var sleepers = sleepers([("last", 1, true), ("first", 1, false)])
    let before = (0..<2).map { _ in sleepers.popDue(at: .seconds(1), includingLast: false) }
    expectEqual(before, ["first", nil])
    let deadline = sleepers.nextDeadline()
    expectEqual(deadline, .seconds(1))
    let last = sleepers.popDue(at: .seconds(1))
    expectEqual(last, "last")
  }
}
