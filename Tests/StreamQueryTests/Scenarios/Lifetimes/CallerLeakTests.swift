import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Callers that left, of fetches that never end: nothing of them is kept.
struct CallerLeakTests {
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
    let ticks = ManualSignal(QueryTrigger.refetch("n"))
    let connection = client.connect(triggers: ticks)
    for _ in 1...100 {
      ticks.send(.invalidate("n"))
      simulation.settle()
    }
    expectEqual(waiterCount(client), 0)
    withExtendedLifetime(recording) {}
    withExtendedLifetime(connection) {}
  }

  private struct Held: Error {
    let witness: Witness
  }

  // Contract law 8
  @Test func whatTheCallerHeldThatBeganAFetchIsReleasedOutsideTheLock() {
    let client = QueryClient(simulation: simulation)
    let (calls, gone) = (Dial(0), Notes<Int>())
    let failing = Query<Int>("failing") { context in
      calls.value += 1
      if calls.value == 1 { return 1 }
      throw Held(witness: Witness { gone.add(context.client.data(for: "n") ?? 0) })
    }
    .retry(.never)
    let slow = Query.scripted("slow", .init(.value(1), .value(2, after: .seconds(1))))
    simulation.task { await client.prefetch(failing) }
    simulation.task { await client.prefetch(slow) }
    simulation.settle()
    // Its failure is the caller's, who is kept as the one that began the other fetch.
    _ = simulation.task {
      try? await client.refetch(.query(failing) || .query(slow), throwOnError: true)
    }
    simulation.settle()
    client.remove(.query(failing))
    expectEqual(gone.count, 0)
    let others = (1...2).map { _ in
      simulation.task { await client.refetch("slow", superseding: false) }
    }
    simulation.settle()
    for other in others { other.cancel() }
    simulation.settle()
    simulation.advance(by: .seconds(1))
    expectEqual(gone.count, 1)
    expectEqual(client.data(for: slow), 2)
  }
}
