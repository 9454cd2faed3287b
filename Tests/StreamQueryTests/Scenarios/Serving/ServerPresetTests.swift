import StreamQueryTesting
import Testing

@testable import StreamQuery

/// What a client does that is configured for a server process.
struct ServerPresetTests {
  let simulation = Simulation(seed: 1)
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation, configuration: .server)
  }

  @Test func whatNobodyUsesStaysWhileThereIsRoom() throws {
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(7), .value(8))).staleTime(.infinite)
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    client.setData(1, for: QueryKey<Int>("written"))
    simulation.advance(by: .seconds(86_400 * 365))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    expectEqual(client.data(for: QueryKey<Int>("written")), 1)
    expectEqual(client.entries(of: Int.self).count, 2)
  }

  @Test func thereIsRoomForTenThousand() {
    for number in 0..<10_500 { client.setData(number, for: QueryKey<Int>("n", number)) }
    expectEqual(client.entries(of: Int.self).count, 10_000)
  }

  /// An error may mean that the data is not to be shown any more: nobody decided otherwise.
  @Test func failuresAreThrownAndHungServersAreBounded() throws {
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(7), .failure(Boom(1)), .never))
      .staleTime(.seconds(10))
    try expectEqual(simulation.run { try await client.fetch(query) }, 7)
    simulation.advance(by: .seconds(70))
    #expect(throws: Boom(1)) { try simulation.run { try await client.fetch(query) } }
    simulation.advance(by: .seconds(1))
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: .seconds(30))) {
      try simulation.run { try await client.fetch(query) }
    }
    expectEqual(simulation.now, .seconds(101))
  }

  @Test func defaultsAndQueriesHaveTheLastWord() {
    expectEqual(client.defaultOptions(for: "n").timeout, .seconds(30))
    expectNil(client.defaultOptions(for: "n").staleIfError)
    client.setDefaults(QueryDefaults(options: QueryOptions(gcTime: .seconds(9))))
    client.setDefaults(QueryOptions(staleTime: .seconds(5)), for: "n")
    let options = client.defaultOptions(for: "n")
    expectEqual(options.gcTime, .seconds(9))
    expectEqual(options.timeout, .seconds(30))
    expectEqual(options.staleTime?.fixed, .after(.seconds(5)))
    var configuration = QueryClient.Configuration.server
    configuration.defaults = QueryDefaults(staleTime: .seconds(30))
    configuration.defaults.options.timeout = .seconds(2)
    configuration.limit = nil
    let other = QueryClient(simulation: simulation, configuration: configuration)
    expectEqual(other.defaultOptions(for: "n").timeout, .seconds(2))
    expect(!other.isLimited)
  }

  /// Callers get an error soon, observers wait for better times.
  @Test func observersRetryAndPollAsElsewhere() {
    let failing = ScriptedFetch<Int>(.failure(Boom(1)))
    let query = Query("n", fetch: failing)
    #expect(throws: Boom(1)) { try simulation.run { try await client.fetch(query) } }
    expectEqual(failing.callCount, 1)
    let observed = simulation.record(client.stream(query))
    simulation.advance(by: .minutes(5))
    expectEqual(failing.callCount, 1 + 4)
    #expect(observed.values.last?.error as? Boom == Boom(1))
    observed.cancel()
    let polled = ScriptedFetch<Int>(.value(1))
    let polling = simulation.record(
      client.stream(Query("polled", fetch: polled).refetchInterval(.seconds(10)))
    )
    simulation.advance(by: .seconds(25))
    expectEqual(polled.callCount, 3)
    polling.cancel()
    simulation.advance(by: .seconds(25))
    expectEqual(polled.callCount, 3)
  }

  @Test func promisesToCallersAreDefaultsThatQueriesHaveTheLastWordAbout() throws {
    let configuration = QueryClient.Configuration.server(
      staleIfError: .seconds(20),
      softTimeout: .milliseconds(100),
      cachesFailures: .seconds(2),
      refreshAhead: .fraction(0.5)
    )
    let client = QueryClient(simulation: simulation, configuration: configuration)
    let options = client.defaultOptions(for: "n")
    expectEqual(options.staleIfError, .seconds(20))
    expectEqual(options.softTimeout, .milliseconds(100))
    expect(options.cachesFailures != nil)
    expectEqual(options.refreshAhead, .fraction(0.5))
    expectEqual(options.timeout, .seconds(30))
    expectEqual(options.gcTime, .seconds(Int64.max))

    let fetch = ScriptedFetch<Int>(.value(7), .failure(Boom(1), after: .seconds(1)))
    let query = Query("n", fetch: fetch).staleTime(.seconds(10))
    func ask(_ query: Query<Int>) throws -> (Int, after: Duration) {
      let start = simulation.now
      let value = try simulation.run { try await client.fetch(query) }
      return (value, simulation.now - start)
    }
    #expect(try ask(query) == (7, .zero))
    // Half of the stale time is over: the data is fetched ahead, which fails.
    simulation.advance(by: .seconds(6))
    #expect(try ask(query) == (7, .zero))
    simulation.advance(by: .seconds(9))
    expectEqual(fetch.callCount, 2)
    #expect(try ask(query) == (7, .milliseconds(100)))
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 3)
    #expect(try ask(query) == (7, .zero))
    expectEqual(fetch.callCount, 3)
    simulation.advance(by: .seconds(14))
    #expect(throws: Boom(1)) { try ask(query) }
    #expect(throws: Boom(1)) { try ask(query) }
    expectEqual(fetch.callCount, 4)
    #expect(throws: Boom(1)) {
      try ask(query.staleIfError(.zero).cachesFailures(.off))
    }
    expectEqual(fetch.callCount, 5)
  }

  /// It would be cut off in the middle.
  @Test func aConnectionMayLast() {
    let query: Query<[Int]> = .streamed("n") { _ in
      AsyncThrowingStream<Int, any Error> {
        try await Scheduling.current.clock.sleep(for: .seconds(20))
        return 1
      }
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(101))
    expectEqual(recording.values.last?.data, [1, 1, 1, 1, 1])
    expectNil(recording.values.last?.error)
    recording.cancel()
  }

  @Test func aConnectionMayBeQuietForLong() {
    let query = feed(every: .seconds(45))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(100))
    expectEqual(recording.values.last?.data, [1, 1])
    recording.cancel()
    let limited = simulation.record(client.stream(query.timeout(.seconds(20)).retry(.never)))
    simulation.advance(by: .seconds(20))
    #expect(limited.values.last?.error as? QueryError != nil)
    limited.cancel()
  }

  private func feed(every pause: Duration) -> Query<[Int]> {
    .streamed("feed") { _ in
      AsyncThrowingStream<Int, any Error> {
        try await Scheduling.current.clock.sleep(for: pause)
        return 1
      }
    }
  }

  @Test func manyPagesMayTakeLongerThanOneAnswer() throws {
    let query = Query<Pages<Int, Int>>(
      "pages",
      initialPageParam: 0,
      fetch: { page, _ in
        try await Scheduling.current.clock.sleep(for: .seconds(10))
        return page
      },
      nextPageParam: { $0.count }
    )
    let observer = client.observer(of: query)
    try simulation.run {
      _ = try await client.fetch(query)
      for _ in 0..<4 { _ = try await observer.fetchNextPage() }
      _ = try await observer.refetch()
    }
    expectEqual(simulation.now, .seconds(100))
    expectEqual(client.data(for: query)?.count, 5)
  }

  @Test func otherClientsPromiseNothing() {
    let client = QueryClient(simulation: simulation)
    let options = client.defaultOptions(for: "n")
    expectEmpty(EveryOptionTests.fields(of: options).filter(\.value))
  }

  // T84
  @Test func theServerPresetRunsWithoutSourcesAndRetriesNoImperativeCall() {
    let simulation = Simulation(seed: 1)
    var configuration = QueryClient.Configuration.server
    configuration.clock = simulation.clock
    configuration.executor = simulation.executor
    let client = QueryClient(configuration: configuration)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(2))
    #expect(throws: Boom()) {
      try simulation.run { try await client.fetch(.scripted("n", fetch)) }
    }
    expectEqual(fetch.callCount, 1)
    client.shutDown()
    simulation.settle()
  }
}
