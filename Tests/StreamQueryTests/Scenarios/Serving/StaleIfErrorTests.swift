import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Stale data in place of an error, for a bounded time.
struct StaleIfErrorTests {
  private static func query(
    _ steps: ScriptedFetch<Int>.Step...,
    grace: Duration = .seconds(20)
  ) -> Query<Int> {
    Query("n", fetch: ScriptedFetch<Int>(steps)).staleTime(.seconds(10)).staleIfError(grace)
  }

  @Test func aFailureIsAnsweredWithDataUntilItsGraceIsOver() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1), after: .seconds(1)))
    world.ask(query)
    expectEqual(world.news(), ["0.0 fetching", "0.0 fetched", "0.0 got 7"])
    for time in [10, 29, 29.5] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    world.advance(to: 31)
    expectEqual(
      world.news(),
      [
        "10.0 fetching", "11.0 failed: boom 1", "11.0 served stale to 1", "11.0 got 7",
        "29.0 fetching", "30.0 failed: boom 1", "30.0 served stale to 2", "30.0 got 7",
        "30.0 got 7",
      ]
    )
    world.ask(query)
    world.advance(to: 32)
    expectEqual(world.news(), ["31.0 fetching", "32.0 failed: boom 1", "32.0 threw boom 1"])
  }

  @Test func withoutTheOptionAFailureIsThrown() {
    for grace in [Duration.zero, .seconds(-1)] {
      let world = ServingWorld()
      let query = Self.query(.value(7), .failure(Boom(1)), grace: grace)
      world.ask(query)
      world.advance(to: 10)
      world.ask(query)
      expectEqual(
        world.news().suffix(3),
        ["10.0 fetching", "10.0 failed: boom 1", "10.0 threw boom 1"]
      )
    }
  }

  @Test func whoAsksForItGetsTheError() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1), after: .seconds(1)))
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }
    world.advance(to: 10)
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }
    world.ask(query)
    world.advance(to: 11)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "10.0 fetching", "11.0 failed: boom 1",
        "11.0 served stale to 1", "11.0 threw boom 1", "11.0 got 7",
      ]
    )
  }

  @Test func theFailureIsInTheResults() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)))
    world.ask(query)
    world.advance(to: 10)
    world.ask(query)
    let result = world.client.result(for: query)
    #expect(result.error as? Boom == Boom(1))
    expectEqual(result.data, 7)
    expectEqual(result.status, .error)
  }

  @Test func withoutDataAFailureIsThrown() {
    let world = ServingWorld()
    world.ask(Self.query(.failure(Boom(1))))
    expectEqual(world.news(), ["0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1"])
  }

  /// The data was invalidated at 5 s: it became stale then, and not at 10 s.
  @Test func graceBeginsWithAnInvalidation() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)))
    world.ask(query)
    world.advance(to: 5)
    world.simulation.run { await world.client.invalidate(.query(query)) }
    world.advance(to: 25)
    world.ask(query)
    world.advance(to: 25.5)
    world.ask(query)
    expectEqual(
      world.news().suffix(6),
      [
        "25.0 failed: boom 1", "25.0 served stale to 1", "25.0 got 7",
        "25.5 fetching", "25.5 failed: boom 1", "25.5 threw boom 1",
      ]
    )
  }

  /// Nobody remembered when it was invalidated, so it may have been at once.
  @Test func dataThatWasInvalidatedBeforeAnybodyPromisedAnythingIsAsOldAsItIs() {
    for (time, outcome) in [(20.0, "20.0 got 3"), (21.0, "21.0 threw boom 1")] {
      let world = ServingWorld()
      let query = Self.query(.failure(Boom(1))).staleTime(.infinite)
      world.client.setData(3, for: query.key)
      world.advance(to: 5)
      world.simulation.run { await world.client.invalidate(.key(query.key)) }
      world.advance(to: time)
      world.ask(query)
      expectEqual(world.news().last, outcome)
    }
  }

  @Test func dataThatWasInvalidatedBeforeItWasImportedIsAsOldAsItIs() {
    let world = ServingWorld { $0.defaults.options.staleIfError = .seconds(20) }
    let query = Self.query(.failure(Boom(1))).staleTime(.infinite)
    let old = QueryClient(simulation: world.simulation)
    old.setData(3, for: query)
    world.advance(to: 15)
    world.simulation.run { await old.invalidate(.key(query.key)) }
    world.advance(to: 18)
    let report = world.client.import(old.export().archive, for: [.values(of: Int.self)])
    expectEmpty(report.skipped)
    expectEqual(world.client.data(for: query.key), 3)
    world.advance(to: 21)
    world.ask(query)
    expectEqual(world.news().last, "21.0 threw boom 1")
  }

  /// Otherwise each failure would begin another grace.
  @Test func failuresDoNotProlongTheGraceOfDataThatNeverAges() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1))).staleTime(.infinite)
    world.ask(query)
    world.simulation.run { await world.client.invalidate(.query(query)) }
    for time in [15, 20, 21] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news().filter { $0.contains("got") || $0.contains("threw") },
      [
        "0.0 got 7", "15.0 got 7", "20.0 got 7", "21.0 threw boom 1",
      ]
    )
  }

  @Test func pagesAndQueriesWithADefaultThrowWhereTheyAreAskedTo() throws {
    let (simulation, server) = (Simulation(seed: 1), PageServer(failing: [3, 4]))
    let client = QueryClient(simulation: simulation)
    let pages = server.query().staleTime(.seconds(10)).staleIfError(.seconds(20))
    let first = try simulation.run { try await client.fetch(pages, pages: 2, throwOnError: true) }
    expectEqual(first.pages, ["p1#1", "p2#2"])
    simulation.advance(by: .seconds(12))
    let stale = try simulation.run {
      try await client.fetch(pages, pages: 2, throwOnError: false)
    }
    expectEqual(stale, first)
    #expect(throws: PageFailure.self) {
      try simulation.run { try await client.fetch(pages, pages: 2, throwOnError: true) }
    }
    let next = try simulation.run { try await client.fetch(pages, pages: 1, throwOnError: true) }
    expectEqual(next.pages, ["p1#5"])
    let count = DefaultedQuery(Self.query(.value(7), .failure(Boom(1))), default: 3)
    try expectEqual(simulation.run { try await client.fetch(count, throwOnError: true) }, 7)
    simulation.advance(by: .seconds(12))
    try expectEqual(simulation.run { try await client.fetch(count, throwOnError: false) }, 7)
    #expect(throws: Boom.self) {
      try simulation.run { try await client.fetch(count, throwOnError: true) }
    }
  }

  @Test func aNewAnswerBeginsAnew() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)), .value(8), .failure(Boom(2)))
    world.ask(query)
    for time in [12, 15, 44] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news().filter { $0.contains("got") },
      [
        "0.0 got 7", "12.0 got 7", "15.0 got 8", "44.0 got 8",
      ]
    )
  }

  @Test func aCallerOfLimitedPatienceGetsStaleDataWhenItsTimeIsOver() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .value(8, after: .seconds(60)))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query) { try await $0.fetch($1, timeout: .seconds(2)) }
    world.ask(query) { try await $0.fetch($1, timeout: .seconds(30)) }
    world.ask(query) { try await $0.fetch($1, timeout: .zero) }
    world.advance(to: 80)
    let limit = #"threw the fetch of ["n"] took longer than 30.0 seconds"#
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "12.0 fetching", "12.0 served stale to 1",
        "12.0 got 7", "14.0 served stale to 1", "14.0 got 7", "42.0 \(limit)", "72.0 fetched",
      ]
    )
  }

  /// They promise no upper bound, and nothing traps.
  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func enormousGraceIsForEver(grace: Duration) {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)), grace: grace).gcTime(.seconds(Int64.max))
    world.ask(query)
    world.advance(to: 1e9)
    world.ask(query)
    expectEqual(world.news().last?.hasSuffix("got 7"), true)
  }
}
