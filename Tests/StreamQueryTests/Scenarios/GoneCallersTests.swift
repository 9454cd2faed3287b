import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Callers that left, of fetches that never end: nothing of them is kept.
@Suite struct GoneCallersTests {
  let simulation = Simulation(seed: 6)

  private func waiterCount(_ client: QueryClient) -> Int {
    client.cache.read { state in state.slots.reduce(0) { $0 + $1.waiters.count } }
  }

  @Test func cancelledBulkCallersLeaveNothing() {
    let client = QueryClient(simulation: simulation)
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(client.stream(.scripted("n", ScriptedFetch(.never))))
    for _ in 1...1_000 {
      let caller = simulation.task { await client.invalidate("n") }
      simulation.settle()
      caller.cancel()
      simulation.settle()
    }
    #expect(waiterCount(client) < 10)
    withExtendedLifetime(recording) {}
  }

  @Test func triggersLeaveNoWaiters() {
    let client = QueryClient(simulation: simulation)
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(client.stream(.scripted("n", ScriptedFetch(.never))))
    let ticks = ManualSignal(Trigger.refetch("n"))
    let connection = client.connect(triggers: ticks)
    for _ in 1...100 {
      ticks.send(.invalidate("n"))
      simulation.settle()
    }
    #expect(waiterCount(client) == 0)
    withExtendedLifetime(recording) {}
    withExtendedLifetime(connection) {}
  }
}
