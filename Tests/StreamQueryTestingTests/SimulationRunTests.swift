import StreamQuery
import StreamQueryTesting
import Testing

@Suite struct SimulationRunTests {
  @Test func runReturnsTheValueAndMovesVirtualTime() {
    let simulation = Simulation()
    let value = simulation.run {
      try? await simulation.clock.sleep(for: .seconds(3600))
      return 42
    }
    #expect(value == 42)
    #expect(simulation.now == .seconds(3600))
    #expect(simulation.failures.isEmpty)
  }
}
