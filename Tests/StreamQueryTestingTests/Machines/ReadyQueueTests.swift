import Testing

@testable import StreamQueryTesting

struct ReadyQueueTests {
  /// All orders in which two free jobs and three that stand in line may run.
  private func orders(seeds: Range<UInt64>) -> Set<String> {
    var orders: Set<String> = []
    for seed in seeds {
      var random = SplitMix(seed: seed)
      var queue = ReadyQueue<String>()
      for name in ["a", "b"] { queue.append(name) }
      for name in ["1", "2", "3"] { queue.appendInLine(name) }
      var order = ""
      while !queue.isEmpty {
        expectEqual(queue.count, 5 - order.count)
        let candidates = queue.candidateCount
        guard let (job, index) = queue.popRandom(using: &random) else { break }
        #expect(index < candidates)
        order += job
      }
      orders.insert(order)
    }
    return orders
  }

  @Test func jobsInLineNeverOvertakeEachOther() {
    let orders = orders(seeds: 1..<2_000)
    #expect(orders.allSatisfy { $0.filter(\.isNumber) == "123" })
    // Five places for a, four left for b.
    expectEqual(orders.count, 20)
  }

  @Test func whatIsLeftIsTakenOutToTheLast() {
    var queue = ReadyQueue<Int>()
    queue.appendInLine(2)
    queue.append(1)
    let taken = (0..<3).map { _ in queue.popFirst() }
    expectEqual(taken, [1, 2, nil])
  }
}
