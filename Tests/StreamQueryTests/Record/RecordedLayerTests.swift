import StreamQuery
import StreamQueryTesting
import Testing

/// Optimistic changes in a record that keeps few events.
struct RecordedLayerTests {
  @Test func theEndOfAChangeNamesItsRunHoweverLongTheRunIsOver() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation) { $0.record = .last(4) }
    let key = QueryKey<Int>("n")
    let fetch = ScriptedFetch<Int>(.value(1), .value(2, after: .seconds(10)))
    let recording = simulation.record(client.stream(Query(key: key, fetch: fetch)))
    simulation.settle()
    let mutation = Mutation<Int, Int>("set") { input in input }
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      .onSuccess { _, context in context.client.markInvalidated(.key(key)) }
    simulation.task { try? await client.mutate(mutation, with: 5) }
    simulation.settle()
    #expect(client.result(for: key).isOptimistic)
    for number in 0..<10 { client.setData(number, for: QueryKey<Int>("other")) }
    simulation.advance(by: .seconds(10))
    #expect(client.record.steps.contains("1 unlayered by 1"))
    #expect(client.data(for: key) == 2 && client.record.runs.isEmpty)
    recording.cancel()
    simulation.settle()
  }
}
