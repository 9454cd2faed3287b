import StreamQuery
import StreamQueryTesting
import Testing

/// What stays of a failure after a success, and how fresh the data of a bare key is.
@Suite struct PastAndKeyTests {
  let simulation = Simulation(seed: 19)

  @Test func aSuccessLeavesWhenAndHowOftenAFetchFailed() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Boom(), after: .milliseconds(10)),
      .value(1, after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    let failed = recording.values.last
    #expect(failed?.errorUpdatedAt != nil)
    simulation.run { await client.refetch(query) }
    let last = recording.values.last
    #expect(recording.timeline.last == at(60, .success(1)))
    #expect(last?.error == nil)
    #expect(last?.failureReason == nil)
    #expect(last?.failureCount == 0)
    #expect(last?.errorUpdatedAt == failed?.errorUpdatedAt)
    #expect(last?.errorUpdateCount == 1)
    // So does a write; a reset begins anew.
    client.setData(2, for: query)
    simulation.settle()
    #expect(recording.values.last?.errorUpdatedAt == failed?.errorUpdatedAt)
    simulation.task { await client.reset(query) }
    simulation.settle()
    #expect(recording.values.last?.errorUpdatedAt == nil)
    #expect(recording.values.last?.errorUpdateCount == 0)
  }

  @Test func theDataOfAKeyIsAsFreshAsTheQueryThatItWasFetchedBySays() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    #expect(client.isStale(key))
    simulation.run { await client.prefetch(Query(key: key) { 1 }.staleTime(.seconds(10))) }
    #expect(!client.isStale(key))
    // A query of the key alone has a stale time of its own.
    #expect(client.isStale(Query(key: key)))
    simulation.advance(by: .seconds(10))
    #expect(client.isStale(key))
  }

  @Test func theNewestQueryOfAKeyCounts() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    let long = client.observer(of: Query(key: key) { 1 }.staleTime(.seconds(100)))
    simulation.advance(by: .seconds(5))
    #expect(!client.isStale(key))
    let options = ObserverOptions(enabled: false, staleTime: .seconds(2))
    let short = client.observer(of: Query(key: key) { 1 }, options: options)
    simulation.settle()
    #expect(client.isStale(key))
    #expect(!long.result.isStale)
    withExtendedLifetime(short) {}
  }

  @Test func writesInvalidationsAndFunctionsCountForAKey() {
    let client = QueryClient(simulation: simulation)
    client.setDefaults(QueryOptions(staleTime: .after(.seconds(10))), for: "kept")
    let (kept, bare) = (QueryKey<Int>("kept"), QueryKey<Int>("bare"))
    client.setData(1, for: kept)
    client.setData(1, for: bare)
    #expect(!client.isStale(kept))
    #expect(client.isStale(bare))
    simulation.run { await client.invalidate(.all, refetch: .never) }
    #expect(client.isStale(kept))

    let asked = QueryKey<Int>("asked")
    let query = Query(key: asked) { 1 }
      .staleTime(.dynamic { $0.data as? Int == 1 ? .after(.seconds(10)) : .after(.zero) })
    simulation.run { await client.prefetch(query) }
    #expect(!client.isStale(asked))
    client.setData(2, for: asked)
    #expect(client.isStale(asked))
  }
}
