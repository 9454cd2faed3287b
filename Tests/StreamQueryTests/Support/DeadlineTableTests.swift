import Testing

@testable import StreamQuery

/// The deadlines of many waits.
struct DeadlineTableTests {
  typealias Table = DeadlineTable<Int>

  private static func instant(_ seconds: Int64) -> Instant {
    Instant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func theTimerIsArmedForAnEarlierDeadlineOnly() {
    var table = Table()
    expectEqual(table.set(Self.instant(10), 1).arms, Self.instant(10))
    expectNil(table.set(Self.instant(10), 2).arms)
    expectNil(table.set(Self.instant(11), 3).arms)
    expectEqual(table.set(Self.instant(9), 4).arms, Self.instant(9))
  }

  @Test func whatIsDueComesInOrderAndEqualOnesAsTheyWereSet() {
    var table = Table()
    for (number, seconds) in [3, 1, 2, 1, 3, 9].enumerated() {
      _ = table.set(Self.instant(Int64(seconds)), number)
    }
    let reached = table.woke(at: Self.instant(3), limit: 10)
    expectEqual(reached.due, [1, 3, 2, 0, 4])
    expectEqual(reached.next, Self.instant(9))
    expect(!reached.hasMore)
    expectEqual(table.count, 1)
  }

  @Test func aTransactionTakesAsManyAsItMay() {
    var table = Table()
    for number in 0..<5 { _ = table.set(Self.instant(Int64(number)), number) }
    let first = table.woke(at: Self.instant(9), limit: 3)
    expectEqual(first.due, [0, 1, 2])
    expect(first.hasMore)
    expectNil(first.next)
    let rest = table.woke(at: Self.instant(9), limit: 3)
    expectEqual(rest.due, [3, 4])
    expect(!rest.hasMore)
    expectNil(rest.next)
  }

  @Test func aTimerThatWokeTooEarlyIsArmedAgain() {
    var table = Table()
    let id = table.set(Self.instant(5), 1).id
    _ = table.set(Self.instant(7), 2)
    expectEqual(table.cancel(id), 1)
    let reached = table.woke(at: Self.instant(5), limit: 10)
    expectEqual(reached.due, [])
    expectEqual(reached.next, Self.instant(7))
  }

  @Test func aDeadlineThatHasComeCannotBeCancelled() {
    var table = Table()
    let first = table.set(Self.instant(1), 1).id
    expectEqual(table.woke(at: Self.instant(1), limit: 10).due, [1])
    // It has the same row.
    let second = table.set(Self.instant(2), 2).id
    expectNil(table.cancel(first))
    expectEqual(table.cancel(second), 2)
    expectNil(table.cancel(second))
    expectEqual(table.count, 0)
  }

  @Test func aClockThatFailsEndsAllAsTheyWereSet() {
    var table = Table()
    for number in [4, 2, 7] { _ = table.set(Self.instant(Int64(number)), number) }
    expectEqual(table.failed(), [4, 2, 7])
    expectEqual(table.count, 0)
    expectEqual(table.set(Self.instant(9), 1).arms, Self.instant(9))
  }

  @Test func anIdentifierOfBeforeTheFailureIsNotThatOfALaterDeadline() {
    var table = Table()
    let former = table.set(Self.instant(1), 1).id
    _ = table.failed()
    expectNil(table.cancel(former))
    _ = table.set(Self.instant(1), 2)
    expectNil(table.cancel(former))
    expectEqual(table.count, 1)
  }

  @Test(arguments: Seeds.few(2))
  func agreesWithAListAfterEveryChange(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var table = Table()
    var model: [(id: Table.ID, at: Int64, number: Int)] = []
    var now: Int64 = 0
    for number in 0..<600 {
      switch random.next(below: 4) {
      case 0, 1:
        let at = now + Int64(random.next(below: 200))
        model.append((table.set(Self.instant(at), number).id, at, number))
      case 2 where !model.isEmpty:
        let each = model.remove(at: random.next(below: model.count))
        expectEqual(table.cancel(each.id), each.number)
      default:
        now += Int64(random.next(below: 20))
        let reached = table.woke(at: Self.instant(now), limit: .max)
        let due = model.filter { $0.at <= now }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
        model.removeAll { $0.at <= now }
        expectEqual(reached.due, due.map(\.number))
        expectEqual(reached.next, model.map(\.at).min().map(Self.instant))
      }
      expectEqual(table.count, model.count)
    }
  }
}
