import StreamQuery
import StreamQueryTesting
import Testing

/// Answers while the server behind is slow or away.
struct ServerSamples {
  let simulation = Simulation()

  @Test func staleDataIsReturnedInPlaceOfAnError() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7), .failure(QueryError.shutDown))
    let query = Query("rates", fetch: fetch).staleTime(.seconds(30)).staleIfError(.minutes(5))
    expectEqual(query.options.staleIfError, .minutes(5))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    simulation.advance(by: .minutes(1))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    #expect(throws: QueryError.shutDown) {
      try simulation.run { try await client.fetch(query, throwOnError: true) }
    }
  }

  @Test func aSlowFetchIsNotWaitedFor() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7), .value(8, after: .seconds(1)))
    let query = Query("rates", fetch: fetch)
      .staleIfError(.minutes(5)).softTimeout(.milliseconds(100)).timeout(.seconds(2))
    expectEqual(query.options.softTimeout, .milliseconds(100))
    expectEqual(query.options.timeout, .seconds(2))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    expectEqual(simulation.now, .milliseconds(100))
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 8)
  }

  @Test func receiversOfEventsLiveSideBySide() {
    let (own, log) = (ManualSignal(0), ManualSignal(0))
    let client = QueryClient(simulation: simulation) { configuration in
      configuration.eventReceivers.append(EventReceiver { _ in log.send(1) })
      configuration.onEvent = { _ in own.send(1) }
    }
    let signals = [simulation.record(own), simulation.record(log)]
    client.setData(7, for: QueryKey<Int>("rates"))
    simulation.settle()
    expectEqual(signals.map(\.values.last), [1, 1])
    for signal in signals { signal.cancel() }
  }

  @Test func aReceiverSaysWhatItNeedsOfLookups() throws {
    let (hits, lookups, rest) = (ManualSignal(0), ManualSignal(0), ManualSignal(0))
    let client = QueryClient(simulation: simulation) { configuration in
      configuration.readShards = 4
      configuration.eventReceivers = [
        EventReceiver(hits: { (_: AnyQueryKey, count: Int) in hits.send(count) }) { event in
          if case .lookup(.hit) = event.kind { lookups.send(1) }
        },
        .withoutLookups { event in
          if case .lookup = event.kind { rest.send(-1) } else { rest.send(1) }
        },
      ]
    }
    let signals = [hits, lookups, rest].map { simulation.record($0) }
    let query = Query("rates") { 7 }.staleTime(.minutes(1))
    for _ in 1...6 { try expectEqual(simulation.run { try await client.fetch(query) }, 7) }
    simulation.advance(by: .seconds(1))
    expectEqual(client.lookups.hits, 5)
    expectEqual(signals[0].values, [0, 4])
    expectEqual(signals[1].values, [0, 1])
    #expect(!signals[2].values.contains(-1))
    for signal in signals { signal.cancel() }
  }

  @Test func manyThreadsReadInSeveralParts() throws {
    var configuration = QueryClient.Configuration()
    configuration.readShards = 64
    let client = QueryClient(simulation: simulation, configuration: configuration)
    let query = Query("rates") { 7 }.staleTime(.minutes(1))
    for _ in 1...3 { try expectEqual(simulation.run { try await client.fetch(query) }, 7) }
    expectEqual(client.lookups.hits, 2)
    #expect(QueryClient.Configuration.server.readShards ?? 0 >= 4)
  }

  @Test func answersFromTheCacheAreCountedByKind() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query("rates") { 7 }.staleTime(.minutes(1))
    for _ in 1...2 { _ = try simulation.run { try await client.fetch(query) } }
    let counts = client.lookups
    expectEqual(counts[.failure] + counts.servedStale, 0)
    expectEqual(counts.failures, 0)
    expectEqual(counts.hitRatio, 0.5)
  }

  @Test func aFailureLastsForAWhile() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(QueryError.shutDown))
    let query = Query("rates", fetch: fetch).cachesFailures(.seconds(5))
    expect(query.options.cachesFailures != nil)
    for _ in 1...2 {
      #expect(throws: QueryError.shutDown) {
        try simulation.run { try await client.fetch(query) }
      }
    }
    expectEqual(fetch.callCount, 1)
    _ = [FailureCaching.off, .minutes(5), .when { _ in nil }]
  }

  @Test func dataIsRefetchedBeforeItIsStale() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7), .value(8))
    let query = Query("rates", fetch: fetch).staleTime(.seconds(30)).refreshAhead(.fraction(0.8))
    expectEqual(query.options.refreshAhead, .fraction(0.8))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    simulation.advance(by: .seconds(24))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    simulation.settle()
    expectEqual(client.data(for: query), 8)
    expectEqual(RefreshAhead.probabilistic(), .probabilistic(beta: 1))
    expect(RefreshAhead.fraction(0.8, jitter: 0.1) != .off)
  }

  @Test func aServerKeepsWhatItHasRoomFor() {
    let client = QueryClient(simulation: simulation, configuration: .server) {
      $0.limit = CacheLimit(maxEntries: 100)
      $0.defaults = QueryDefaults(staleTime: .seconds(30))
    }
    client.setData(7, for: QueryKey<Int>("rates"))
    simulation.advance(by: .hours(24))
    expectEqual(client.data(for: QueryKey<Int>("rates")), 7)
    expectEqual(QueryClient.Configuration.server.limit?.maxEntries, 10_000)
    expectEqual(client.defaultOptions(for: "rates").timeout, .seconds(30))
  }

  @Test func aServerPromisesItsCallersStaleDataInPlaceOfAnError() throws {
    let client = QueryClient(
      simulation: simulation,
      configuration: .server(
        staleIfError: .minutes(5),
        softTimeout: .milliseconds(100),
        cachesFailures: .seconds(1),
        refreshAhead: .probabilistic()
      )
    )
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(7), .failure(QueryError.shutDown)))
    for _ in 1...2 { try expectEqual(simulation.run { try await client.fetch(query) }, 7) }
    expectEqual(QueryClient.Configuration.server(staleIfError: .zero).limit?.maxEntries, 10_000)
  }
}
