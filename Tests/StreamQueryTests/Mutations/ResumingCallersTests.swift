@testable import StreamQuery
import StreamQueryTesting
import Testing

struct ResumingCallersTests {
  // A screen that resumes whenever it appears, while a long run holds the lane.
  @Test func callersThatStoppedWaitingArePutAway() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 100, simulation: simulation).scope("s")
    simulation.start(mutation, with: 1, on: client)
    simulation.start(mutation, with: 2, on: client)
    for _ in 0..<20 {
      let caller = simulation.task { await client.resumeMutations() }
      simulation.settle()
      caller.cancel()
      simulation.settle()
    }
    let waiting = client.cache.read { state in state.mutations.slots.map(\.waiters.count) }
    // Each run has its caller; of those that stopped waiting only the last one may be left.
    expectEqual(waiting, [1, 2])
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
  }
}
