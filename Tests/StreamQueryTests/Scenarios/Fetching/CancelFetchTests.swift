import StreamQuery
import StreamQueryTesting
import Testing

struct CancelFetchTests {
  private let query = Query("n", fetch: ScriptedFetch<Int>(.never))

  @Test func aFetchThatIsUndoneBeforeALookShowsNothingNew() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    let recording = simulation.record(client.stream(query.enabled(false)))
    simulation.settle()
    #expect(recording.summaries == [.success(1)])

    for _ in 0..<3 {
      let enabled = client.stream(query)
      client.cancel("n")
      withExtendedLifetime(enabled) {}
    }
    simulation.settle()
    #expect(recording.summaries == [.success(1)])
  }

  @Test func whoSawTheFetchIsToldThatItWasUndone() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    let recording = simulation.record(client.stream(query.enabled(false)))
    simulation.settle()
    let enabled = client.stream(query)
    simulation.settle()
    client.cancel("n")
    simulation.settle()
    #expect(recording.summaries == [.success(1), .success(1, isFetching: true), .success(1)])
    withExtendedLifetime(enabled) {}
  }
}
