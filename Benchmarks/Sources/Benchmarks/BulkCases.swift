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
      let clock = ContinuousClock()
      var value = Double.infinity
      for _ in 0..<300 {
        // The matches are written again, so that each round has all of them to invalidate.
        for index in stride(from: 3, to: count, by: count / 100) {
          client.setData(index, for: QueryKey<Int>("group", 3, index))
        }
        let start = clock.now
        await client.invalidate(.prefix(prefix))
        value = min(value, nanoseconds(clock.now - start))
      }
      suite.add(
        "invalidate.\(count)",
        "invalidate a prefix: 100 matches in \(count) entries",
        value,
        within: 200,
        limit: "raw.lookup.\(count)",
        size: count
      )
    }
    for count in [1_000, 10_000, 100_000] { build(suite, count) }
    free(suite)
    clear(suite)
    for count in [1_000, 10_000, 100_000] { retention(suite, count) }
  }

  private final class Part {
    let parts: [KeyValuePairs<String, Int>]
    let box: Part?
    init(_ parts: [KeyValuePairs<String, Int>], _ box: Part?) {
      self.parts = parts
      self.box = box
    }
  }

  /// Measures the release of as many keys and values, without any book-keeping about them.
  private static func free(_ suite: Suite) {
    var best = Double.infinity
    for _ in 0..<5 {
      var all = (0..<100_000).map { Part([["todos": $0]], Part([], nil)) }
      blackHole(all)
      let start = measure_thread_time()
      all = []
      best = min(best, Double(measure_thread_time() - start))
      blackHole(all)
    }
    suite.add("raw.free", "release 100,000 objects, each with an array and an object", best)
  }

  private static func build(_ suite: Suite, _ count: Int) {
    var best = Double.infinity
    for _ in 0..<max(8, 100_000 / count) {
      let client = World.client()
      let start = measure_thread_time()
      for index in 0..<count { client.setData(index, for: QueryKey<Int>("todos", "list", index)) }
      best = min(best, Double(measure_thread_time() - start) / Double(count))
    }
    suite.add(
      "build.\(count)",
      "build \(count) entries, each",
      best,
      within: count == 100_000 ? 20 : nil,
      limit: "raw.lookup.\(count)",
      size: count
    )
  }

  private static func clear(_ suite: Suite) {
    let count = 100_000
    var best = Double.infinity
    for _ in 0..<5 {
      let (client, _) = World.filled(count)
      let start = measure_thread_time()
      client.clear()
      best = min(best, Double(measure_thread_time() - start))
    }
    suite.add("clear", "clear 100,000 entries, all", best, limit: "raw.expiry.100000")
  }

  private static func retention(_ suite: Suite, _ count: Int) {
    var best = Double.infinity
    for _ in 0..<max(7, 50_000 / count) {
      let simulation = Simulation()
      let client = QueryClient(simulation: simulation) {
        $0.defaults = QueryDefaults(gcTime: .seconds(60))
      }
      for index in 0..<count { client.setData(index, for: World.key(index)) }
      simulation.settle()
      let start = measure_thread_time()
      simulation.advance(by: .seconds(61))
      best = min(best, Double(measure_thread_time() - start))
      precondition(client.data(for: World.key(7)) == nil)
    }
    suite.add(
      "retention.\(count)",
      "retention of \(count) expired entries, all",
      best,
      within: count == 100_000 ? 1.5 : nil,
      limit: "raw.expiry.\(count)",
      size: count
    )
  }
}
