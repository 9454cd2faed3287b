import StreamQuery
import StreamQueryTesting
import Testing

/// `fetch(_:timeout:)`: callers who wait only so long.
struct FetchTimeoutTests {
  let simulation = Simulation(seed: 1)

  @Test func aValueThatComesInTimeIsReturned() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(7, after: .seconds(1))))
    let value = try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    expectEqual(value, 7)
    expectEqual(simulation.now, .seconds(1))
    expectEqual(simulation.leakReport(), [])
  }

  @Test func whoWaitsTooLongThrowsAndTheFetchOfNobodyEnds() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(10)))
    let query = Query.scripted("n", fetch)
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: .seconds(2))) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
    expectEqual(simulation.now, .seconds(2))
    expect(!client.result(for: query.key).isFetching)
    expectEqual(simulation.leakReport(), [])
  }

  /// A simulation runs on for what waits by its clock, so the limit has to.
  @Test func aFetchThatNeverComesIsGivenUpAfterTheLimit() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: .seconds(2))) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
    expectEqual(simulation.now, .seconds(2))
  }

  @Test func othersWhoWantTheFetchGetItsValue() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(10)))
    let query = Query.scripted("n", fetch)
    let patient = simulation.task { try await client.fetch(query) }
    simulation.settle()
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
    try expectEqual(simulation.run { try await patient.value }, 7)
    expectEqual(fetch.callCount, 1)
  }

  @Test func anErrorThatComesInTimeIsThrown() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.failure(Boom())))
    #expect(throws: Boom.self) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func withoutTimeOnlyFreshDataIsReturned(limit: Duration) throws {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(7, after: .seconds(1))))
      .staleTime(.minutes(1))
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: limit)) {
      try simulation.run { try await client.fetch(query, timeout: limit) }
    }
    client.setData(3, for: query)
    try expectEqual(simulation.run { try await client.fetch(query, timeout: limit) }, 3)
  }

  @Test func staleDataIsNotInTime() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(7, after: .seconds(1))))
      .staleTime(.seconds(1))
    client.setData(3, for: query)
    simulation.advance(by: .seconds(5))
    try expectEqual(simulation.run { try await client.fetch(query, timeout: .seconds(2)) }, 7)
  }

  @Test(arguments: Seeds.few(2))
  func whatIsKnownAtOnceIsThrownWhateverTheLimit(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let nobody = Query<Int>(key: QueryKey("nobody"))
    #expect(throws: QueryError.missingFetch(key: #"["nobody"]"#)) {
      try simulation.run { try await client.fetch(nobody, timeout: .zero) }
    }
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    let caller = simulation.task { try await client.fetch(query, timeout: .zero) }
    caller.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await caller.value } }
    client.shutDown()
    #expect(throws: QueryError.shutDown) {
      try simulation.run { try await client.fetch(query, timeout: .zero) }
    }
  }

  /// Law 11: what is longer than a century is no limit, and nothing traps; on the clock of an app.
  @Test(
    arguments: [
      Duration.seconds(Int64.max), Duration(attoseconds: .max), .seconds(3_155_760_000),
      .seconds(3_155_760_001),
    ]
  )
  func enormousLimitsAreNone(limit: Duration) async throws {
    let client = QueryClient()
    let query = Query<Int>("n") { 7 }
    try await expectEqual(client.fetch(query, timeout: limit), 7)
    client.shutDown()
  }

  @Test func aCancelledCallerThrowsCancellation() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    let caller = simulation.task { try await client.fetch(query, timeout: .seconds(9)) }
    simulation.settle()
    caller.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await caller.value } }
    expectEqual(simulation.now, .zero)
    expectEqual(simulation.leakReport(), [])
  }
}
