import StreamQuery
import StreamQueryTesting

/// Tests of observed objects, in ten orders of what happens at once.
@MainActor
protocol ObservedSuite {}

extension ObservedSuite {
  func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  /// Runs a test whose objects wait on a clock that may fail.
  func runOnFailingClock(_ body: @MainActor (Simulation, QueryClient, FailingClock) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let clock = FailingClock(simulation.clock)
        body(simulation, QueryClient(simulation: simulation) { $0.operatorClock = clock }, clock)
      }
    }
  }

  func query(
    _ name: String,
    _ fetch: ScriptedFetch<String> = ScriptedFetch(.value("fetched", after: .milliseconds(30)))
  ) -> Query<String> {
    Query(key: QueryKey(name), fetch: fetch).retry(0)
  }
}
