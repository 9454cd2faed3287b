import StreamQueryTesting
import Testing

@testable import StreamQuery

struct CacheDeadlinesTests {
  @Test(arguments: Seeds.few(20))
  func theEarliestDeadlineOfAnEntryOrARunComesFirst(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var deadlines = CacheDeadlines()
    // By slot; those of runs have negative numbers.
    var model: [Int: Instant] = [:]
    var count = 10
    for slot in 0..<count { deadlines.makeRoom(for: slot) }
    for _ in 0..<300 {
      let deadline =
        random.next(below: 3) == 0 ? nil : Instant.seconds(Double(random.next(below: 50)))
      switch random.next(below: 10) {
      case 0:
        let kept = (0..<count).filter { _ in random.next(below: 6) > 0 }
        deadlines.move(kept.map { Int32($0) }, Array(0..<10))
        var moved = model.filter { $0.key < 0 }
        for (place, slot) in kept.enumerated() { moved[place] = model[slot] }
        (model, count) = (moved, kept.count)
        for slot in count..<10 { deadlines.makeRoom(for: slot) }
        count = 10
      case 1...3:
        let run = random.next(below: 10)
        deadlines.set(deadline, run: run)
        model[~run] = deadline
      default:
        let slot = random.next(below: count)
        deadlines.set(deadline, slot)
        model[slot] = deadline
      }
      expectEqual(deadlines.first?.deadline, model.values.min())
      if let first = deadlines.first { expectEqual(model[Int(first.owner)], first.deadline) }
      expectEqual(deadlines.heap.items.count, model.count)
      expectEqual(deadlines.positions.count { $0 >= 0 }, model.keys.count { $0 >= 0 })
    }
  }

  @Test func theTimerIsArmedAgainOnlyForAnEarlierDeadline() {
    var deadlines = CacheDeadlines()
    for slot in 0..<2 { deadlines.makeRoom(for: slot) }
    expectNil(deadlines.arm())
    deadlines.set(.seconds(2), 0)
    expectEqual(deadlines.arm(), .seconds(2))
    deadlines.set(.seconds(3), 1)
    expectNil(deadlines.arm())
    deadlines.set(.seconds(1), run: 0)
    expectEqual(deadlines.arm(), .seconds(1))
    deadlines.set(nil, run: 0)
    expectNil(deadlines.arm())
    deadlines.timerWoke()
    expectEqual(deadlines.arm(), .seconds(2))
  }
}
