@_spi(Adapters) import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Commands of a handle that begin something and wait for nothing.
struct StartRefetchTests {
  private let simulation = Simulation(seed: 21)

  private func client() -> QueryClient { QueryClient(simulation: simulation) }

  private func query(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query("n", fetch: fetch).retry(0)
  }

  @Test("Q13: a refetch begins within the call, also of a disabled query, and replaces another")
  func beginsAtOnce() {
    let client = client()
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10)),
      .failure(Boom(3))
    )
    let observer = client.observer(of: query(fetch).enabled(false))
    observer.startRefetch()
    expect(observer.result.isFetching)
    // Joins: there is no data.
    observer.startRefetch()
    simulation.advance(by: .milliseconds(10))
    expect(observer.result.data == 1 && fetch.callCount == 1)
    observer.startRefetch()
    simulation.advance(by: .milliseconds(5))
    observer.startRefetch(superseding: false)
    simulation.settle()
    expectEqual(fetch.callCount, 2)
    observer.startRefetch()
    simulation.settle()
    #expect(observer.result.error as? Boom == Boom(3) && fetch.callCount == 3)
    expect(observer.result.data == 1 && !observer.result.isFetching)
    withExtendedLifetime(observer) {}
  }

  @Test("what was begun does not keep the handle: the fetch ends with it")
  func keepsNothing() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.never)
    do {
      let observer = client.observer(of: query(fetch).enabled(false))
      observer.startRefetch()
      simulation.settle()
      expectEqual(fetch.runningCount, 1)
      withExtendedLifetime(observer) {}
    }
    simulation.settle()
    expect(fetch.runningCount == 0 && client.diagnostics().allSatisfy { $0.observerCount == 0 })
  }

  @Test("X16: where a refetch throws, nothing happens")
  func impossibleOnes() {
    let client = client()
    let none = client.observer(of: Query<Int>(key: "none"))
    none.startRefetch()
    expect(none.result.isPending && !none.result.isFetching)
    let fetch = ScriptedFetch<Int>(.value(1))
    let observer = client.observer(of: query(fetch).enabled(false))
    client.shutDown()
    observer.startRefetch()
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    withExtendedLifetime((none, observer)) {}
  }

  @Test("T89: a refetch begins when it is known what a store keeps")
  func waitsForAStore() {
    let memory = MemoryStore()
    let slow = SlowStore(memory, clock: simulation.clock) { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation) { [slow] in
      $0.persistence = Persistence(in: slow, maxAge: .hours(24))
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let observer = client.observer(of: query(fetch).enabled(false))
    observer.startRefetch()
    simulation.advance(by: .milliseconds(900))
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(1))
    expect(fetch.callCount == 1 && observer.result.data == 1)
    client.shutDown()
  }

  @Test("T30: a caller that is cancelled while a store is read gets the result, as during a fetch")
  func leavesAStore() throws {
    let slow = SlowStore(clock: simulation.clock) { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation) { [slow] in
      $0.persistence = Persistence(in: slow, maxAge: .hours(24))
    }
    let observer = client.observer(of: query(ScriptedFetch(.value(1))).enabled(false))
    let plain = simulation.task { try await observer.refetch() }
    let throwing = simulation.task { try await observer.refetch(throwOnError: true) }
    simulation.advance(by: .milliseconds(500))
    plain.cancel()
    throwing.cancel()
    try expect(simulation.run { try await plain.value }.isPending)
    #expect(throws: CancellationError.self) { try simulation.run { try await throwing.value } }
    client.shutDown()
  }

  @Test("T30: a page command that is cancelled while a store is read returns, as during a fetch")
  func leavesAStoreWithoutAPage() throws {
    let slow = SlowStore(clock: simulation.clock) { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation) { [slow] in
      $0.persistence = Persistence(in: slow, maxAge: .hours(24))
    }
    let server = PageServer()
    let feed = server.query()
    let observer = client.observer(of: feed.enabled(false))
    let ofClient = simulation.task { try await client.fetchNextPage(of: feed) }
    let ofObserver = simulation.task { try await observer.fetchPreviousPage() }
    simulation.advance(by: .milliseconds(500))
    ofClient.cancel()
    ofObserver.cancel()
    try expect(simulation.run { try await ofClient.value }.isPending)
    try expect(simulation.run { try await ofObserver.value }.isPending)
    simulation.advance(by: .seconds(1))
    expectEqual(server.params, [])
    client.shutDown()
  }

  @Test("what waits for a store does not begin for a handle that is gone, or shows another query")
  func waitsForAStoreInVain() {
    let slow = SlowStore(clock: simulation.clock) { $0.loading = .seconds(1) }
    let client = QueryClient(simulation: simulation) { [slow] in
      $0.persistence = Persistence(in: slow, maxAge: .hours(24))
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let other = client.observer(of: query(fetch).enabled(false))
    do {
      let observer = client.observer(of: query(fetch).enabled(false))
      observer.startRefetch()
      other.startRefetch()
      simulation.advance(by: .milliseconds(500))
      withExtendedLifetime(observer) {}
    }
    other.update(query: Query<Int>(key: "another"))
    simulation.advance(by: .seconds(5))
    expectEqual(fetch.callCount, 0)
    withExtendedLifetime(other) {}
    client.shutDown()
  }

  @Test("a fetch that begins one that waits for it closes no circle, as it does not wait")
  func closesNoCircle() {
    let client = client()
    let a = Query<Int>("a") { [weak client] in
      client?.observer(of: Query<Int>("b") { 0 }).startRefetch(superseding: false)
      return 1
    }
    let b = Query<Int>("b") { [weak client] in try await client?.fetch(a) ?? 0 }
    #expect(throws: Never.self) { try simulation.run { _ = try await client.fetch(b) } }
  }

  @Test("I05 X19: pages are begun, and past the end nothing is")
  func pages() {
    let client = client()
    let server = PageServer(last: 2)
    let observer = client.observer(of: server.query())
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(50))
    for _ in 0..<2 {
      observer.startFetchingPreviousPage()
      observer.startFetchingNextPage()
      simulation.advance(by: .milliseconds(50))
    }
    expect(server.params == [1, 2] && server.calls.map(\.direction) == [nil, .next])
    expectEqual(recording.values.last?.data?.pages, ["p1#1", "p2#2"])
  }

  @Test("the results of a list have their keys also after a shutdown")
  func keysAfterAShutdown() {
    let client = client()
    client.shutDown()
    let query = query(ScriptedFetch<Int>(.value(1)))
    let results = client.result(for: [AnyQuery(query)])
    expect(results.keys == [query.key.erased] && results[query]?.isPending == true)
  }
}
