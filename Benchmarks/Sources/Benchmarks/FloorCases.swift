import CMeasure
import StreamQuery
import Synchronization

/// Compares a client with the minimum that does the same for its callers, both measured in turn.
enum FloorCases {
  static func measure(_ suite: Suite) async {
    await fetches(suite)
    await hits(suite)
    await observers(suite)
    await writes(suite)
    await memory(suite)
    growth(suite)
  }

  private static func floorKey(_ index: Int) -> FloorKey { FloorKey("todos", "list", index) }

  private static func floorQuery(_ index: Int) -> FloorQuery<Int> {
    FloorQuery(floorKey(index)) { index }
  }

  // MARK: Fetches

  private static func fetches(_ suite: Suite) async {
    let floor = FloorClient()
    suite.add(
      "floor.fetch",
      "cold fetch of a new key by a client that does as little as possible",
      await fresh(floor.removeAll) { blackHole(try? await floor.fetch(floorQuery($0))) }
    )
    let client = World.client()
    suite.add(
      "client.fetch",
      "the same by a client of the library",
      await fresh {
        client.remove(.prefix("todos"))
      } _: {
        blackHole(try? await client.fetch(World.query($0)))
      },
      limit: "floor.fetch"
    )
  }

  /// Measures a body with new keys in each round, and removes the keys after the round.
  private static func fresh(
    _ clear: () -> Void,
    _ body: (Int) async -> Void
  ) async -> Double {
    let clock = ContinuousClock()
    var best = Double.infinity
    var next = 0
    for _ in 0..<240 {
      let start = clock.now
      for _ in 0..<250 {
        next += 1
        await body(next)
      }
      best = min(best, nanoseconds(clock.now - start) / 250)
      clear()
    }
    return best
  }

  // MARK: Hits

  private static func hits(_ suite: Suite) async {
    let (floor, made) = (FloorClient(), floorQuery(7))
    floor.set(7, for: made.key)
    let client = World.client()
    let query = World.query(7)
    _ = try? await client.fetch(query)
    suite.add(
      "floor.fetch.fresh",
      "fetch of fresh data by such a client",
      await fastest(iterations: 2_000) {
        for _ in 0..<$0 { blackHole(try? await floor.fetch(made)) }
      }
    )
    suite.add(
      "client.fetch.fresh",
      "the same by a client of the library",
      await fastest(iterations: 2_000) {
        for _ in 0..<$0 { blackHole(try? await client.fetch(query)) }
      },
      limit: "floor.fetch.fresh"
    )
    suite.add(
      "floor.fetch.task",
      "fetch of fresh data by such a client, from a task of its own",
      await fastest(iterations: 500) {
        for _ in 0..<$0 { await Task { blackHole(try? await floor.fetch(made)) }.value }
      }
    )
    suite.add(
      "client.fetch.task",
      "the same by a client of the library",
      await fastest(iterations: 500) {
        for _ in 0..<$0 { await Task { blackHole(try? await client.fetch(query)) }.value }
      },
      limit: "floor.fetch.task"
    )
  }

  // MARK: Observers

  private static func observers(_ suite: Suite) async {
    let (floor, made) = (FloorClient(), floorQuery(7))
    floor.set(7, for: made.key)
    let client = World.client()
    let query = World.query(7)
    _ = try? await client.fetch(query)
    suite.add(
      "floor.subscribe",
      "subscribe, first element, drop, with such a client",
      await fastest(iterations: 1_000) {
        for _ in 0..<$0 { blackHole(await floor.observe(made).next()) }
      }
    )
    suite.add(
      "client.subscribe",
      "the same by a client of the library",
      await fastest(iterations: 1_000) {
        for _ in 0..<$0 {
          var iterator = client.results(of: query).makeAsyncIterator()
          blackHole(await iterator.next(isolation: nil))
        }
      },
      limit: "floor.subscribe"
    )
  }

  // MARK: Writes

  private static func writes(_ suite: Suite) async {
    let (floor, key) = (FloorClient(), floorKey(7))
    let client = World.client()
    let query = World.query(7)
    _ = try? await client.fetch(query)
    suite.add(
      "floor.write",
      "a write that nobody observes, by such a client",
      fastest(iterations: 2_000) { for index in 0..<$0 { floor.set(index, for: key) } }
    )
    suite.add(
      "client.write",
      "the same by a client of the library",
      fastest(iterations: 2_000) { for index in 0..<$0 { client.setData(index, for: query) } },
      limit: "floor.write"
    )
    suite.add(
      "floor.build",
      "make an entry and its key, by such a client",
      await fresh(floor.removeAll) { floor.set($0, for: floorKey($0)) }
    )
    suite.add(
      "client.build",
      "the same by a client of the library",
      await fresh {
        client.remove(.prefix("todos"))
      } _: {
        client.setData($0, for: World.key($0))
      },
      limit: "floor.build"
    )
  }

  // MARK: Memory

  private static func memory(_ suite: Suite) async {
    let count = 100_000
    let before = measure_bytes_in_use()
    let floor = FloorClient()
    for index in 0..<count { floor.set(index, for: floorKey(index)) }
    suite.add(
      "floor.memory.entry",
      "memory per entry of such a client",
      Double(measure_bytes_in_use() - before) / Double(count),
      unit: .bytes
    )
    withExtendedLifetime(floor) {}
    suite.add(
      "raw.memory.sleeper",
      "memory per task that waits and can be cancelled",
      await waiting { parking, _ in
        await withTaskCancellationHandler {
          blackHole(await parking.park())
        } onCancel: {
        }
      },
      unit: .bytes
    )
    suite.add(
      "memory.waiter",
      "memory per caller that waits for a fetch, with its task",
      await waiting { _, fetch in await fetch() },
      unit: .bytes
    )
  }

  /// Measures the memory of each of 10,000 tasks that wait for one fetch, or for something else.
  private static func waiting(
    _ body: @escaping @Sendable (Parking, _ fetch: @Sendable () async -> Void) async -> Void
  ) async -> Double {
    let count = 10_000
    let client = World.client()
    let parking = Parking()
    let query = Query<Int>("waiting") {
      blackHole(await parking.park())
      return 1
    }
    let started = Counter()
    let fetch: @Sendable () async -> Void = { blackHole(try? await client.fetch(query)) }
    let before = measure_bytes_in_use()
    let tasks = (0..<count).map { _ in
      Task {
        started.increment()
        await body(parking, fetch)
      }
    }
    while started.count < count { await Task.yield() }
    try? await Task.sleep(for: .milliseconds(200))
    let after = measure_bytes_in_use()
    parking.resumeAll(true)
    for task in tasks { await task.value }
    return Double(after - before) / Double(count)
  }

  private final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .acquiring) }

    func increment() { number.add(1, ordering: .acquiringAndReleasing) }
  }

  // MARK: Growth

  /// Measures the longest single write while the tables grow to a size; for this time, other threads cannot
  /// use the cache.
  private static func growth(_ suite: Suite) {
    for count in [50_000, 100_000, 200_000] {
      var best = Double.infinity
      for _ in 0..<5 {
        let client = World.client()
        let keys = World.keys(count)
        var longest: UInt64 = 0
        for (index, key) in keys.enumerated() {
          let start = measure_thread_time()
          client.setData(index, for: key)
          longest = max(longest, measure_thread_time() - start)
        }
        best = min(best, Double(longest))
      }
      suite.add(
        "growth.\(count)",
        "the longest write while the cache grows to \(count) entries",
        best,
        size: count
      )
    }
  }

  // MARK: Counted

  static var counted: [CountedCase] {
    [
      CountedCase(id: "real.fetch", iterations: 500) {
        let client = World.client()
        let keys = NewKeys()
        return { count in
          let first = keys.take(count)
          OneThread.run {
            for index in first..<(first + count) {
              blackHole(try? await client.fetch(World.query(index)))
            }
          }
        }
      },
      CountedCase(id: "real.refetch", iterations: 500) {
        let client = World.client()
        let query = Query<Int>(key: World.key(1)) { 1 }
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "real.fetch.fresh", iterations: 1_000) {
        let client = World.client()
        let query = World.query(7)
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "real.fetch.task", iterations: 1_000) {
        let client = World.client()
        let query = World.query(7)
        return { count in
          OneThread.run {
            for _ in 0..<count { await Task { blackHole(try? await client.fetch(query)) }.value }
          }
        }
      },
      CountedCase(id: "real.subscribe", iterations: 1_000) {
        let client = World.client()
        let query = World.query(7)
        client.setData(7, for: query)
        return { count in
          OneThread.run {
            for _ in 0..<count {
              var iterator = client.results(of: query).makeAsyncIterator()
              blackHole(await iterator.next(isolation: nil))
            }
          }
        }
      },
      CountedCase(id: "real.query.modified", iterations: 1_000) {
        { count in for index in 0..<count { blackHole(ServedQueryCases.made(index)) } }
      },
      CountedCase(id: "floor.fetch", iterations: 500) {
        let client = FloorClient()
        let keys = NewKeys()
        return { count in
          let first = keys.take(count)
          OneThread.run {
            for index in first..<(first + count) {
              blackHole(try? await client.fetch(floorQuery(index)))
            }
          }
        }
      },
      CountedCase(id: "floor.fetch.fresh", iterations: 1_000) {
        let client = FloorClient()
        let query = floorQuery(7)
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "floor.subscribe", iterations: 1_000) {
        let client = FloorClient()
        let query = floorQuery(7)
        client.set(7, for: query.key)
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(await client.observe(query).next()) } }
        }
      },
      CountedCase(id: "floor.write", iterations: 1_000) {
        let client = FloorClient()
        let key = floorKey(7)
        return { count in for index in 0..<count { client.set(index, for: key) } }
      },
      CountedCase(id: "floor.build", iterations: 2_000) {
        let client = FloorClient()
        let keys = NewKeys()
        return { count in
          let first = keys.take(count)
          for index in first..<(first + count) { client.set(index, for: floorKey(index)) }
        }
      },
    ]
  }

  /// Gives the numbers of keys that no operation has used yet.
  private final class NewKeys {
    private var next = 0

    func take(_ count: Int) -> Int {
      defer { next += count }
      return next
    }
  }
}
