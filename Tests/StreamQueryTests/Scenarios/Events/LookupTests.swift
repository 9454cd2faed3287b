import StreamQuery
import StreamQueryTesting
import Testing

/// What the cache had for those who came: counted, and told to whoever listens.
struct LookupTests {
  let simulation = Simulation(seed: 1)
  let client: QueryClient
  let told: Dial<[String]>

  init() {
    let told = Dial<[String]>([])
    self.told = told
    client = QueryClient(simulation: simulation) { configuration in
      configuration.onEvent = { event in
        guard case .lookup(let lookup) = event.kind else { return }
        told.with { $0.append("\(lookup) \(event.key)") }
      }
    }
  }

  private func query(_ number: Int = 1, enabled: Bool = true) -> Query<Int> {
    Query("n", number, fetch: ScriptedFetch<Int>(.value(7, after: .seconds(1))))
      .staleTime(.seconds(10))
      .enabled(enabled)
  }

  @Test func callersFindNothingThenAFetchThenItsValue() throws {
    let first = simulation.task { try await client.fetch(query()) }
    simulation.settle()
    let second = simulation.task { try await client.fetch(query()) }
    #expect(try simulation.run { try await (first.value, second.value) } == (7, 7))
    try expectEqual(simulation.run { try await client.fetch(query()) }, 7)
    expectEqual(told.value, [#"miss ["n", 1]"#, #"joined ["n", 1]"#, #"hit ["n", 1]"#])
  }

  @Test func staleDataIsAMissForFetchAndAHitForEnsure() throws {
    client.setData(3, for: query())
    simulation.advance(by: .seconds(10))
    try expectEqual(simulation.run { try await client.ensure(query()) }, 3)
    try expectEqual(simulation.run { try await client.fetch(query()) }, 7)
    simulation.run { await client.invalidate(.key(query().key), refetch: .never) }
    try expectEqual(simulation.run { try await client.ensure(query(), revalidating: true) }, 7)
    expectEqual(told.value, [#"staleHit ["n", 1]"#, #"miss ["n", 1]"#, #"staleHit ["n", 1]"#])
  }

  @Test func anObserverLooksWhenItComesMovesOrIsEnabled() {
    let observer = client.observer(of: query(enabled: false))
    let recording = simulation.record(observer.stream)
    simulation.settle()
    expectEqual(told.value, [])
    observer.update(query: query())
    let other = simulation.record(client.stream(query()))
    simulation.advance(by: .seconds(2))
    let third = simulation.record(client.stream(query()))
    observer.update(query: query(2))
    // Neither another option nor the same query again asks for anything.
    observer.update(query: query(2).gcTime(.seconds(9)))
    simulation.advance(by: .seconds(10))
    let fourth = simulation.record(client.stream(query()))
    expectEqual(
      told.value,
      [
        #"miss ["n", 1]"#, #"joined ["n", 1]"#, #"hit ["n", 1]"#, #"miss ["n", 2]"#,
        #"staleHit ["n", 1]"#,
      ]
    )
    withExtendedLifetime((recording, other, third, fourth)) {}
  }

  @Test func whoOnlyReadsWritesOrRefetchesLooksForNothing() {
    client.setData(3, for: query())
    _ = client.data(for: query().key)
    _ = client.result(for: query())
    client.updateData(for: query().key) { $0 = 4 }
    simulation.run { await client.refetch(.key(query().key)) }
    simulation.run { await client.invalidate(.key(query().key)) }
    expectEqual(client.lookups, LookupCounts())
    expectEqual(told.value, [])
  }

  // Law 13: nobody asked.
  @Test func whatARemovalTurnsOnLookedForNothing() {
    let recording = simulation.record(
      client.stream(query().enabled { $0.dataUpdatedAt == nil })
    )
    simulation.advance(by: .seconds(2))
    let before = client.lookups
    client.remove(.all)
    simulation.advance(by: .seconds(2))
    expectEqual(client.lookups, before)
    recording.cancel()
  }

  @Test func aCallThatIsRefusedLookedForNothing() {
    let key = QueryKey<Int>("circle")
    let client = client
    let circle = Query(key: key) { [weak client] _ in
      try await client?.fetch(Query(key: key) { _ in 1 }) ?? 0
    }
    #expect(throws: QueryError.self) { try simulation.run { try await client.fetch(circle) } }
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(Query<Int>(key: QueryKey("none"))) }
    }
    expectEqual(told.value, [#"miss ["circle"]"#])
  }

  @Test func aFetchWithALimitLooksOnce() throws {
    try expectEqual(simulation.run { try await client.fetch(query(), timeout: .seconds(2)) }, 7)
    try expectEqual(simulation.run { try await client.fetch(query(), timeout: .seconds(2)) }, 7)
    expectEqual(told.value, [#"miss ["n", 1]"#, #"hit ["n", 1]"#])
  }

  @Test func lookupsAreCountedWhetherOrNotAnybodyListens() throws {
    let client = QueryClient(simulation: simulation)
    _ = try simulation.run { try await client.fetch(query()) }
    let before = client.lookups
    for _ in 0..<3 { _ = try simulation.run { try await client.fetch(query()) } }
    simulation.advance(by: .seconds(10))
    let recording = simulation.record(client.stream(query()))
    simulation.settle()
    let joining = simulation.task { try await client.fetch(query()) }
    simulation.advance(by: .seconds(2))
    let counts = client.lookups
    expectEqual(CacheLookup.allCases.map { counts[$0] }, [3, 1, 1, 1, 0])
    expectEqual(counts.total, 6)
    expectEqual(counts.hitRatio, 4.0 / 6)
    expectEqual(CacheLookup.allCases.map { (counts - before)[$0] }, [3, 1, 1, 0, 0])
    expectNil(LookupCounts().hitRatio)
    withExtendedLifetime((recording, joining)) {}
  }

  /// At the failure, at once, at the end of patience, and at the end of the caller's own time.
  @Test func whoWaitedAndWasServedStaleDataIsCountedAsWell() {
    let world = ServingWorld()
    let query = Query(
      "n",
      fetch: ScriptedFetch<Int>(.value(7), .failure(Boom(1), after: .seconds(1)), .never)
    )
    .staleTime(.seconds(10)).staleIfError(.seconds(50)).softTimeout(.seconds(3))
    world.ask(query)
    world.advance(to: 10)
    world.ask(query)
    world.ask(query)
    world.advance(to: 20)
    let before = world.client.lookups
    expectEqual(CacheLookup.allCases.map { before[$0] }, [0, 0, 1, 2, 0])
    expectEqual(before.servedStale, 2)
    world.ask(query)
    world.ask(query) { try await $0.fetch($1, timeout: .seconds(1)) }
    world.advance(to: 24)
    world.ask(query)
    let since = world.client.lookups - before
    expectEqual(CacheLookup.allCases.map { since[$0] }, [0, 1, 1, 1, 0])
    expectEqual(since.servedStale, 2)
    // One fetch never ends by itself.
    world.client.shutDown()
    world.simulation.settle()
  }

  @Test func anEventOfALookupStandsBetweenTheObserverAndItsFetch() {
    let lines = Dial<[String]>([])
    let client = QueryClient(simulation: simulation) { configuration in
      configuration.onEvent = { event in lines.with { $0.append("\(event)") } }
    }
    let recording = simulation.record(client.stream(query()))
    simulation.settle()
    expectEqual(
      lines.value,
      [
        #"added ["n", 1]"#, #"observed (1) ["n", 1]"#, #"miss ["n", 1]"#,
        #"fetching ["n", 1] for subscribed in 0.0 seconds"#, #"shown anew ["n", 1]"#,
      ]
    )
    withExtendedLifetime(recording) {}
  }
}
