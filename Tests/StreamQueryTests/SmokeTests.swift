import StreamQuery
import StreamQueryTesting
import Testing

struct Offline: Error {}

@Test func showsCachedUserThenRefreshes() {
  let simulation = Simulation(seed: 7)
  let client = QueryClient(simulation: simulation)
  let fetch = ScriptedFetch(
    .value("ada", after: .milliseconds(30)),
    .failure(Offline(), after: .milliseconds(5))
  )
  let recording = simulation.record(client.stream(Query("user", 1, fetch: fetch)))
  simulation.advance(by: .seconds(1))
  #expect(recording.summaries == [.pending(isFetching: true), .success("ada")])
  #expect(simulation.isIdle)
  recording.cancel()
  simulation.settle()
  #expect(simulation.isIdle)
}
