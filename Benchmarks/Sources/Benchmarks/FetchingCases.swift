import StreamQuery

enum FetchingCases {
  static func measure(_ suite: Suite) async {
    for count in [0, 1_000, 10_000, 100_000] {
      suite.add(
        "fetch.cold.\(count)",
        "cold fetch of a new key, \(count) entries before",
        await cold(beside: count),
        within: 6.2,
        limit: "raw.fetch",
        size: count
      )
    }
    suite.add(
      "fetch.concurrent",
      "10,000 concurrent fetches of one key, all of them",
      await concurrent(10_000),
      within: 2.2,
      limit: "raw.crowd.10000"
    )
  }

  private static func query(_ index: Int) -> Query<Int> {
    Query("cold", "list", index) { index }.staleTime(.infinite)
  }

  /// Measures cold fetches; the entries are removed after each round, which is not measured: so each round
  /// begins with as many entries, and uses memory again, as a process does that runs for a while.
  private static func cold(beside count: Int) async -> Double {
    let (client, _) = World.filled(count)
    let clock = ContinuousClock()
    var best = Double.infinity
    var next = 0
    for _ in 0..<240 {
      let start = clock.now
      for _ in 0..<250 {
        next += 1
        blackHole(try? await client.fetch(query(next)))
      }
      best = min(best, nanoseconds(clock.now - start) / 250)
      client.remove(.prefix("cold"))
    }
    return best
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
