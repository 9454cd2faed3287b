import StreamQuery
import StreamQueryTesting
import Testing

/// `isStale(_:)` of a key without its query.
struct KeyStalenessTests {
  let simulation = Simulation(seed: 19)

  @Test func theDataOfAKeyIsAsFreshAsTheQueryThatItWasFetchedBySays() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    expect(client.isStale(key))
    simulation.run { await client.prefetch(Query(key: key) { 1 }.staleTime(.seconds(10))) }
    expect(!client.isStale(key))
    // A query of the key alone has a stale time of its own.
    expect(client.isStale(Query(key: key)))
    simulation.advance(by: .seconds(10))
    expect(client.isStale(key))
  }

  @Test func theNewestQueryOfAKeyCounts() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    let long = client.observer(of: Query(key: key) { 1 }.staleTime(.seconds(100)))
    simulation.advance(by: .seconds(5))
    expect(!client.isStale(key))
    let options = ObserverOptions(enabled: false, staleTime: .seconds(2))
    let short = client.observer(of: Query(key: key) { 1 }, options: options)
    simulation.settle()
    expect(client.isStale(key))
    expect(!long.result.isStale)
    withExtendedLifetime(short) {}
  }

  @Test func writesInvalidationsAndFunctionsCountForAKey() {
    let client = QueryClient(simulation: simulation)
    client.setDefaults(QueryOptions(staleTime: .after(.seconds(10))), for: "kept")
    let (kept, bare) = (QueryKey<Int>("kept"), QueryKey<Int>("bare"))
    client.setData(1, for: kept)
    client.setData(1, for: bare)
    expect(!client.isStale(kept))
    expect(client.isStale(bare))
    simulation.run { await client.invalidate(.all, refetch: .never) }
    expect(client.isStale(kept))

    let asked = QueryKey<Int>("asked")
    let query = Query(key: asked) { 1 }
      .staleTime(.dynamic { $0.data as? Int == 1 ? .after(.seconds(10)) : .after(.zero) })
    simulation.run { await client.prefetch(query) }
    expect(!client.isStale(asked))
    client.setData(2, for: asked)
    expect(client.isStale(asked))
  }
}
