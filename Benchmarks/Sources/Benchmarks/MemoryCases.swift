import CMeasure
import StreamQuery

enum MemoryCases {
  static func measure(_ suite: Suite) async {
    let count = 100_000
    let kept = bytes(count) {
      let client = World.client(gcTime: .seconds(300))
      for index in 0..<count { client.setData(index, for: World.key(index)) }
      return client
    }
    suite.add(
      "memory.entry",
      "memory per entry: three-part key, small value, deadline",
      kept,
      unit: .bytes,
      target: 600
    )
    let timeless = bytes(count) {
      let client = World.client(gcTime: .seconds(4_000_000_000))
      for index in 0..<count { client.setData(index, for: World.key(index)) }
      return client
    }
    suite.add(
      "memory.deadlines",
      "100,000 pending deadlines, all",
      max(0, kept - timeless) * Double(count),
      unit: .bytes,
      target: 4_000_000
    )
    let client = World.client()
    let query = World.query(1)
    client.setData(1, for: query)
    // Shared by all: must not count.
    _ = client.result(for: query)
    let consumers = 20_000
    suite.add(
      "memory.results",
      "memory per idle consumer: an iterator of results",
      bytes(consumers) {
        (0..<consumers).map { _ in client.results(of: query).makeAsyncIterator() }
      },
      unit: .bytes,
      target: 400
    )
    suite.add(
      "memory.stream",
      "memory per idle consumer: a stream",
      bytes(consumers) { (0..<consumers).map { _ in client.stream(query) } },
      unit: .bytes,
      target: 400
    )
  }

  private static func bytes<Kept>(_ count: Int, _ make: () -> Kept) -> Double {
    let before = measure_bytes_in_use()
    let kept = make()
    let after = measure_bytes_in_use()
    withExtendedLifetime(kept) {}
    return Double(after) > Double(before) ? Double(after - before) / Double(count) : 0
  }
}
