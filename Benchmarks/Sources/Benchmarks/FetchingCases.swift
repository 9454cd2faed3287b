import StreamQuery

enum FetchingCases {
  static func measure(_ suite: Suite) async {
    for count in [0, 1_000, 10_000, 100_000] {
      let (client, _) = World.filled(count)
      var next = count
      let rounds = 40
      let batch = 250
      let cold = await fastest(rounds: rounds, iterations: batch) { iterations in
        for _ in 0..<iterations {
          next += 1
          blackHole(try? await client.fetch(World.query(next)))
        }
      }
      suite.add(
        "fetch.cold.\(count)",
        "cold fetch of a new key, \(count) entries before",
        cold,
        target: 4_000,
        limit: "raw.fetch",
        size: count
      )
    }
    suite.add(
      "fetch.concurrent",
      "10,000 concurrent fetches of one key, all of them",
      await concurrent(10_000),
      target: 20_000_000,
      limit: "raw.crowd.10000"
    )
  }

  private static func concurrent(_ count: Int) async -> Double {
    var best = Double.infinity
    let clock = ContinuousClock()
    for round in 0..<15 {
      let client = World.client()
      let query = Query<Int>("one", round) {
        try await Task.sleep(for: .milliseconds(1))
        return round
      }
      let start = clock.now
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { blackHole(try? await client.fetch(query)) } }
      }
      best = min(best, nanoseconds(clock.now - start))
    }
    return best
  }
}
