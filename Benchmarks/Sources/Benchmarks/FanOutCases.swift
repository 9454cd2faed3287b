import StreamQuery

enum FanOutCases {
  static func measure(_ suite: Suite) async {
    await alone(suite)
    let mainActor = await onMainActor()
    suite.add(
      "fanout.main",
      "set data, one results consumer on the main actor",
      mainActor,
      within: 2,
      limit: "raw.next"
    )
    for (count, ratio) in [(1, nil), (100, 1.3), (1_000, 1.4), (10_000, 1.5)]
      as [(Int, Double?)]
    {
      suite.add(
        "fanout.stream.\(count)",
        "set data until \(count) stream consumers in tasks have it",
        await fanOut(count) { client, query, body in
          for await _ in client.stream(query) { body() }
        },
        within: ratio,
        limit: "raw.share.\(count)",
        size: count
      )
      suite.add(
        "fanout.results.\(count)",
        "set data until \(count) results consumers in tasks have it",
        await fanOut(count) { client, query, body in
          for await _ in client.results(of: query) { body() }
        },
        limit: "raw.wake.\(count)",
        size: count
      )
    }
  }

  private static func alone(_ suite: Suite) async {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    var stream = client.stream(query).makeAsyncIterator()
    suite.add(
      "fanout.stream.same",
      "set data and take it, one stream consumer",
      await fastest(iterations: 2_000) { iterations in
        for index in 0..<iterations {
          client.setData(index, for: query)
          blackHole(await stream.next(isolation: nil))
        }
      },
      within: 2.1,
      limit: "raw.share.same"
    )
    var results = client.results(of: query).makeAsyncIterator()
    suite.add(
      "fanout.results.same",
      "set data and take it, one results consumer",
      await fastest(iterations: 2_000) { iterations in
        for index in 0..<iterations {
          client.setData(index, for: query)
          blackHole(await results.next(isolation: nil))
        }
      },
      limit: "raw.next"
    )
  }

  @MainActor
  private static func onMainActor() async -> Double {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    var results = client.results(of: query).makeAsyncIterator()
    return await fastest(iterations: 2_000) { iterations in
      for index in 0..<iterations {
        client.setData(index, for: query)
        blackHole(await results.next(isolation: MainActor.shared))
      }
    }
  }

  /// Measures the time from a write until the last consumer has it, with one task for each consumer.
  private static func fanOut(
    _ count: Int,
    consume: @escaping @Sendable (QueryClient, Query<Int>, () -> Void) async -> Void
  ) async -> Double {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    let bell = Bell(consumers: count)
    var tasks: [Task<Void, Never>] = []
    await bell.wait {
      for _ in 0..<count {
        tasks.append(Task.detached { await consume(client, query) { bell.ring() } })
      }
    }
    var best = Double.infinity
    let clock = ContinuousClock()
    for round in 0..<fanOutRounds(count) {
      // The consumers get time to park, so that each of them has to be woken.
      try? await Task.sleep(
        for: count <= 1 ? .microseconds(20) : .milliseconds(count > 1_000 ? 20 : 2)
      )
      let start = clock.now
      await bell.wait { client.setData(round + 1, for: query) }
      best = min(best, nanoseconds(clock.now - start))
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return best
  }
}
