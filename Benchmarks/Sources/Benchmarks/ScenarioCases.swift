import StreamQuery
import StreamQueryTesting

enum ScenarioCases {
  static func measure(_ suite: Suite) {
    let each = fastest(rounds: 40, iterations: 200) { iterations in
      for seed in 0..<iterations { scenario(seed: UInt64(seed)) }
    }
    suite.add(
      "scenarios",
      "simulated behaviour scenarios, a second",
      1e9 / each,
      unit: .perSecond,
      within: 0.4,
      limit: "raw.scenarios"
    )
  }

  struct Offline: Error {}

  /// Simulates a view that appears and goes: its load fails once and is retried, its data goes stale and
  /// is refetched, and after the view the entry expires.
  static func scenario(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Offline(), after: .milliseconds(5)),
      .value(1, after: .milliseconds(30)),
      .value(2, after: .milliseconds(30))
    )
    let query = Query("user", 1, fetch: fetch).staleTime(.seconds(5)).gcTime(.seconds(60))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    let watch = simulation.task { await client.invalidate(.prefix("user")) }
    simulation.advance(by: .seconds(1))
    recording.cancel()
    simulation.advance(by: .seconds(61))
    precondition(recording.values.last?.data == 2)
    withExtendedLifetime(watch) {}
  }
}
