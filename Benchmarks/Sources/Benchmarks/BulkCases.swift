import CMeasure
import StreamQuery
import StreamQueryTesting

enum BulkCases {
  static func measure(_ suite: Suite) async {
    for count in [1_000, 10_000, 100_000] {
      let client = World.client()
      for index in 0..<count {
        client.setData(index, for: QueryKey<Int>("group", index % (count / 100), index))
      }
      let prefix = AnyQueryKey("group", 3)
      let value = await fastest(rounds: 200, iterations: 1) { _ in
        await client.invalidate(.prefix(prefix))
      }
      suite.add(
        "invalidate.\(count)",
        "invalidate a prefix: 100 matches in \(count) entries",
        value,
        target: 20_000,
        limit: "raw.lookup.\(count)",
        size: count
      )
    }
    build(suite)
    clear(suite)
    retention(suite)
  }

  private static func build(_ suite: Suite) {
    let count = 100_000
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<8 {
      let client = World.client()
      let start = clock.now
      for index in 0..<count { client.setData(index, for: QueryKey<Int>("todos", "list", index)) }
      best = min(best, nanoseconds(clock.now - start) / Double(count))
    }
    suite.add(
      "build",
      "build 100,000 entries, each",
      best,
      target: 1_500,
      limit: "raw.lookup.100000"
    )
  }

  private static func clear(_ suite: Suite) {
    let count = 100_000
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<5 {
      let (client, _) = World.filled(count)
      let start = clock.now
      client.clear()
      best = min(best, nanoseconds(clock.now - start))
    }
    suite.add("clear", "clear 100,000 entries, all", best)
  }

  private static func retention(_ suite: Suite) {
    let count = 100_000
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<5 {
      let simulation = Simulation()
      let client = QueryClient(simulation: simulation) {
        $0.defaults = QueryDefaults(gcTime: .seconds(60))
      }
      for index in 0..<count { client.setData(index, for: World.key(index)) }
      simulation.settle()
      let start = clock.now
      simulation.advance(by: .seconds(61))
      best = min(best, nanoseconds(clock.now - start))
      precondition(client.data(for: World.key(7)) == nil)
    }
    suite.add(
      "retention",
      "retention of 100,000 expired entries, all",
      best,
      target: 30_000_000,
      limit: "raw.lookup.100000"
    )
  }
}
