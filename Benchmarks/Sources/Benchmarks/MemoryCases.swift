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
    let fetched = 20_000
    let fetching = World.client(gcTime: .seconds(300))
    _ = try? await fetching.fetch(World.query(-1))
    let before = measure_bytes_in_use()
    for index in 0..<fetched { _ = try? await fetching.fetch(World.query(index)) }
    suite.add(
      "memory.fetched",
      "memory per fetched entry: the same, and a query made for it",
      (Double(measure_bytes_in_use()) - Double(before)) / Double(fetched),
      unit: .bytes
    )
    withExtendedLifetime(fetching) {}
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
    // All consumers share this result, so it must not count.
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
    // With this number of runs, the tables have just grown, and have room to spare.
    let runs = 33_000
    suite.add(
      "memory.run",
      "memory per kept run: a mutation that is made anew each time, with callbacks",
      await keptRuns(runs) { _ in
        Mutation("rename", "user") { (id: Int) in id }
          .onMutate { id, _ in id }
          .onSuccess { _, _ in }
          .onError { _, _ in }
          .scope("users")
      },
      unit: .bytes,
      target: 1_000
    )
    let plain = Mutation("rename") { (id: Int) in id }
    suite.add(
      "memory.plainRun",
      "memory per kept run: one mutation without callbacks",
      await keptRuns(runs) { _ in plain },
      unit: .bytes,
      target: 1_000
    )
    suite.add(
      "memory.keyedRun",
      "memory per kept run: a key of its own, with callbacks",
      await keptRuns(runs) { index in
        Mutation("rename", "user", index) { (id: Int) in id }
          .onMutate { id, _ in id }
          .onSettled { _, _ in }
      },
      unit: .bytes,
      target: 1_000
    )
  }

  /// Measures the memory of a run that is over, and that the client keeps for a while.
  private static func keptRuns(
    _ count: Int,
    of mutation: @Sendable (Int) -> Mutation<Int, Int>
  ) async -> Double {
    let client = World.client()
    // The first run makes the objects that all runs share, which must not count.
    _ = try? await client.mutate(mutation(-1), with: 0)
    let before = measure_bytes_in_use()
    for index in 0..<count { _ = try? await client.mutate(mutation(index), with: index) }
    let kept = client.mutations().count
    let after = measure_bytes_in_use()
    guard kept == count + 1, after > before else { return .infinity }
    return Double(after - before) / Double(count)
  }

  private static func bytes<Kept>(_ count: Int, _ make: () -> Kept) -> Double {
    let before = measure_bytes_in_use()
    let kept = make()
    let after = measure_bytes_in_use()
    withExtendedLifetime(kept) {}
    return Double(after) > Double(before) ? Double(after - before) / Double(count) : 0
  }
}
