import Testing

@testable import StreamQuery

/// Which tasks sleep, and until when.
struct WakePlanTests {
  private var plan = WakePlan()

  private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

  @Test mutating func aDeadlineThatSomebodyWakesForBeginsNothing() {
    expectEqual(plan.armed(instant(10), at: .zero), .begin(1, until: instant(10)))
    expectEqual(plan.armed(instant(10), at: .zero), .covered)
    expectEqual(plan.armed(instant(11), at: .zero), .covered)
    expectEqual(plan.armed(instant(9), at: .zero), .begin(2, until: instant(9)))
    expectEqual(plan.sleepers.map(\.until), [instant(10), instant(9)])
  }

  @Test mutating func theFirstSleepersAreExactAndFurtherOnesSleepAtMostHalfAsLong() {
    for nanoseconds in (97...100).reversed() {
      let arming = plan.armed(instant(Int64(nanoseconds)), at: .zero)
      expectEqual(arming, .begin(101 - nanoseconds, until: instant(Int64(nanoseconds))))
    }
    expectEqual(plan.armed(instant(96), at: instant(17)), .begin(5, until: instant(57)))
    expectEqual(plan.armed(instant(60), at: instant(18)), .covered)
    expectEqual(plan.armed(instant(30), at: instant(18)), .begin(6, until: instant(30)))
  }

  @Test mutating func oneTaskThatWokeRestsAndIsUsedAgain() {
    _ = plan.armed(instant(20), at: .zero)
    _ = plan.armed(instant(10), at: .zero)
    expectEqual(plan.woke(2), true)
    // On its way to rest it cannot be used, and is not counted on.
    expectEqual(plan.armed(instant(12), at: instant(10)), .begin(3, until: instant(12)))
    expectEqual(plan.rested(2), true)
    expect(plan.knows(2))
    expectEqual(plan.armed(instant(11), at: instant(10)), .reuse(2, until: instant(11)))
    expectEqual(plan.woke(2), true)
    expectEqual(plan.rested(2), true)
    expectEqual(plan.woke(3), true)
    expectEqual(plan.rested(3), false, "one that rests is enough")
    expect(!plan.knows(3))
  }

  @Test mutating func aSleeperThatWakesLateLeavesTheOthersInPlace() {
    _ = plan.armed(instant(20), at: .zero)
    _ = plan.armed(instant(10), at: .zero)
    expectEqual(plan.woke(1), true)
    expectEqual(plan.sleepers.map(\.task), [2])
    expectEqual(
      plan.armed(instant(15), at: instant(21)),
      .covered,
      "it is due, and comes by itself"
    )
  }

  @Test mutating func aPlanThatIsOverKnowsNobodyAndBeginsNothing() {
    _ = plan.armed(instant(20), at: .zero)
    _ = plan.armed(instant(10), at: .zero)
    plan.ended()
    expect(!plan.knows(1))
    expectEqual(plan.woke(1), false)
    expectEqual(plan.rested(1), false)
    expectEqual(plan.failed(2), .over)
    expectEqual(plan.armed(instant(5), at: .zero), .covered)
  }

  @Test mutating func aClockThatThrowsIsTriedThreeTimesAndToldOfOnce() {
    expectEqual(plan.armed(instant(10), at: .zero), .begin(1, until: instant(10)))
    expectEqual(plan.failed(1), .again(instant(10)))
    expectEqual(plan.failed(1), .again(instant(10)))
    expectEqual(plan.failed(1), .givenUp(isNews: true))
    expectEqual(plan.sleepers, [])
    expectEqual(plan.rested(1), true)
    // The next one is tried as often, without being news.
    expectEqual(plan.armed(instant(10), at: .zero), .reuse(1, until: instant(10)))
    expectEqual(plan.failed(1), .again(instant(10)))
    expectEqual(plan.failed(1), .again(instant(10)))
    expectEqual(plan.failed(1), .givenUp(isNews: false))
    // Until a sleep succeeds.
    expectEqual(plan.armed(instant(10), at: .zero), .begin(2, until: instant(10)))
    expectEqual(plan.woke(2), true)
    expectEqual(plan.armed(instant(20), at: instant(10)), .begin(3, until: instant(20)))
    for _ in 1...2 { expectEqual(plan.failed(3), .again(instant(20))) }
    expectEqual(plan.failed(3), .givenUp(isNews: true))
  }

  @Test func aHundredYearsOfEverEarlierDeadlinesTakeABoundedNumberOfSleepers() {
    var plan = WakePlan()
    var top = TimeSpan.longest.nanoseconds
    while top > 1 {
      _ = plan.armed(instant(top - 1), at: .zero)
      top = plan.sleepers.last?.until.nanoseconds ?? 0
    }
    #expect((60...WakePlan.most).contains(plan.sleepers.count))
    // A clock that stands still, and deadlines in the past.
    for nanoseconds in 0..<1_000 as Range<Int64> {
      _ = plan.armed(instant(-nanoseconds), at: .zero)
    }
    expectEqual(plan.sleepers.count, WakePlan.most)
  }

  /// Deadlines that come and go, and time that steps from one sleeper to the next, as in a client.
  @Test(arguments: Seeds.few(30))
  func whateverIsArmedNoDeadlineIsLateAndSleepersAreFew(seed: UInt64) {
    var random = ChanceGenerator(chance: Chance(seed: seed))
    var plan = WakePlan()
    var now: Int64 = 0
    var deadlines: Set<Int64> = []
    var begun = 0
    func arm() {
      guard let first = deadlines.min() else { return }
      if case .begin = plan.armed(instant(first), at: instant(now)) { begun += 1 }
    }
    for _ in 0..<500 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        // Of any magnitude.
        let bits = Int64.random(in: 0..<40, using: &random)
        deadlines.insert(now + Int64.random(in: 0...(1 << bits), using: &random))
        arm()
      case 1:
        // Just before the first: the worst for the stack.
        guard let first = deadlines.min(), first > now else { continue }
        deadlines.insert(first - 1)
        arm()
      case 2:
        // Given up: nobody tells the plan.
        if let some = deadlines.sorted().randomElement(using: &random) { deadlines.remove(some) }
      default:
        guard let next = plan.sleepers.last else { continue }
        #expect(next.until.nanoseconds >= now)
        now = next.until.nanoseconds
        #expect(deadlines.allSatisfy { $0 >= now }, "none is late")
        deadlines.remove(now)
        expectEqual(plan.woke(next.task), true)
        let isArmedFirst = Bool.random(using: &random)
        if isArmedFirst { arm() }
        _ = plan.rested(next.task)
        if !isArmedFirst { arm() }
      }
      #expect(plan.sleepers.count <= WakePlan.most)
      #expect(zip(plan.sleepers, plan.sleepers.dropFirst()).allSatisfy { $0.until > $1.until })
    }
    // To the end: each is met.
    while let next = plan.sleepers.last {
      now = next.until.nanoseconds
      #expect(deadlines.allSatisfy { $0 >= now }, "none is late")
      deadlines.remove(now)
      expectEqual(plan.woke(next.task), true)
      _ = plan.rested(next.task)
      arm()
    }
    expectEqual(deadlines, [])
    #expect(begun > 0)
  }
}
