import Testing

@testable import StreamQuery

struct DeadlineHeapTests {
  /// A heap beside a dictionary that knows the same.
  struct Pair {
    var heap = DeadlineHeap()
    var positions: [Int32: Int32] = [:]
    var model: [Int32: Instant] = [:]

    mutating func set(_ deadline: Int64?, for owner: Int32) {
      let instant = deadline.map(Instant.init(nanoseconds:))
      var moves: [(Int32, Int32)] = []
      heap.set(instant, for: owner, at: positions[owner] ?? -1) { moves.append(($0, $1)) }
      for (owner, position) in moves { positions[owner] = position }
      model[owner] = instant
    }

    func check() {
      expectEqual(heap.first?.deadline, model.values.min())
      expectEqual(heap.items.count, model.count)
      for (index, item) in heap.items.enumerated() {
        expectEqual(model[item.owner], item.deadline)
        expectEqual(positions[item.owner], Int32(index))
        if index > 0 {
          #expect(heap.items[(index - 1) / DeadlineHeap.children].deadline <= item.deadline)
        }
      }
      for (owner, position) in positions where model[owner] == nil { expectEqual(position, -1) }
    }
  }

  @Test(arguments: Seeds.few(2))
  func agreesWithADictionaryAfterEveryChange(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var pair = Pair()
    for _ in 0..<400 {
      let owner = Int32(random.next(below: 24))
      let deadline = random.next(below: 4) == 0 ? nil : Int64(random.next(below: 12)) - 4
      pair.set(deadline, for: owner)
      pair.check()
    }
  }

  @Test func drainsInOrder() {
    var random = SmallRandom(seed: 1)
    var pair = Pair()
    for owner in 0..<500 as Range<Int32> { pair.set(Int64(random.next(below: 90)), for: owner) }
    var last = Int64.min
    while let first = pair.heap.first {
      #expect(first.deadline.nanoseconds >= last)
      last = first.deadline.nanoseconds
      pair.set(nil, for: first.owner)
    }
    expectEmpty(pair.model)
  }

  @Test func removingWhatIsNotThereDoesNothing() {
    var pair = Pair()
    pair.set(nil, for: 3)
    pair.check()
    expectNil(pair.heap.first)
  }

  @Test func aChangedDeadlineIsReplacedInPlace() {
    var pair = Pair()
    for round in 0..<1_000 as Range<Int64> { pair.set(round, for: 1) }
    expectEqual(pair.heap.items.count, 1)
    expectEqual(pair.heap.first?.deadline, Instant(nanoseconds: 999))
  }
}
