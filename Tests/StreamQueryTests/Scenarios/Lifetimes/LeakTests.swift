import StreamQuery
import StreamQueryTesting
import Testing

struct LeakTests {
  let simulation = Simulation(seed: 37)

  // T56, law 13
  @Test func droppingTheClientStopsEverythingThatItRuns() {
    let online = ManualSignal(true)
    let active = ManualSignal(true)
    let ticks = ManualSignal(0)
    let witness = Dial<Witness?>(Witness())
    let weakWitness = Weak(witness.value ?? Witness())
    let weakClient: Weak<QueryClient>
    do {
      let client = QueryClient(simulation: simulation) {
        $0.connectivity = Connectivity { online }
        $0.activity = AppActivity { active }
      }
      weakClient = Weak(client)
      client.setData(witness.value ?? Witness(), for: "w")
      let connection = client.connect(
        triggers: ticks.map { _ in QueryTrigger.invalidate(.all) }
      )
      let query = Query("n") { 1 }.refetchInterval(.seconds(1)).refetch(on: ticks)
      let recording = simulation.record(client.stream(query))
      let events = simulation.record(client.events)
      let counts = simulation.record(client.fetchingCountStream())
      simulation.advance(by: .seconds(3))
      for stop in [recording.cancel, events.cancel, counts.cancel, connection.cancel] { stop() }
      simulation.settle()
    }
    witness.value = nil
    simulation.settle()
    expect(weakClient.isGone)
    expect(weakWitness.isGone)
    expectEqual(online.consumerCount, 0)
    expectEqual(active.consumerCount, 0)
    expectEqual(ticks.consumerCount, 0)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aClientWhoseDefaultsAndHooksUseTheirContextsClientIsFreed() throws {
    let weakClient: Weak<QueryClient>
    let seen = Notes<String>()
    do {
      let client = QueryClient(simulation: simulation) {
        $0.mutationHooks = MutationHooks(
          onSuccess: { _, _, client in seen.add("hook \(client.data(for: "base") ?? 0)") }
        )
      }
      weakClient = Weak(client)
      client.setData(20, for: "base")
      client.setDefaults(
        QueryDefaults(fetch: { context in (context.client.data(for: "base") ?? 0) + 1 })
      )
      client.setDefaults(
        QueryOptions(enabled: .when { [weak client] _ in client != nil }),
        for: "n",
        fetch: { context in (context.client.data(for: "base") ?? 0) + 2 }
      )
      client.setMutationDefaults(.default, for: "m") { _, context in
        (context.client.data(for: "base") ?? 0) + 3
      }
      let recordings = [
        simulation.record(client.stream(Query<Int>(key: "m"))),
        simulation.record(client.stream(Query<Int>(key: "n"))),
      ]
      let output = try simulation.run {
        try await client.mutate(Mutation<Int, Int>(key: "m"), with: 0)
      }
      expectEqual(output, 23)
      expectEqual(seen.all, ["hook 20"])
      expectEqual(recordings.map { $0.values.last?.data }, [21, 22])
      for recording in recordings { recording.cancel() }
      simulation.settle()
    }
    simulation.settle()
    expect(weakClient.isGone)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aStreamKeepsItsClientAndTheClientGoesWithIt() {
    let held = Dial<AsyncStream<QueryResult<Int>>?>(nil)
    let weakClient: Weak<QueryClient>
    do {
      let client = QueryClient(simulation: simulation)
      weakClient = Weak(client)
      held.value = client.stream(Query("n") { 1 })
    }
    simulation.settle()
    expect(!weakClient.isGone)
    held.value = nil
    simulation.settle()
    expect(weakClient.isGone)
  }

  @Test func eventsAndCountsEndWithTheirClientOrDoNotKeepItAlive() {
    let weakClient: Weak<QueryClient>
    let events: ResultRecording<QueryEvent>
    do {
      let client = QueryClient(simulation: simulation)
      weakClient = Weak(client)
      events = simulation.record(client.events)
      client.setData(1, for: QueryKey<Int>("n"))
      simulation.settle()
    }
    simulation.settle()
    expect(weakClient.isGone)
    expect(events.isFinished)
    expectEqual(events.values.count, 2)
  }

  @Test func aQueryThatCapturesItsClientGoesWithItsEntry() {
    let weakClient: Weak<QueryClient>
    do {
      let client = QueryClient(simulation: simulation)
      weakClient = Weak(client)
      let query = Query("n") { client.data(for: QueryKey<Int>("m")) ?? 0 }
        .gcTime(.seconds(10))
      simulation.run { await client.prefetch(query) }
      simulation.settle()
    }
    // The entry keeps its fetch, which keeps the client: until its retention is over.
    simulation.advance(by: .seconds(9))
    expect(!weakClient.isGone)
    simulation.advance(by: .seconds(2))
    expect(weakClient.isGone)
    expect(simulation.isIdle)
  }

  @Test func aQueryThatCapturesItsClientGoesWithShutDown() {
    let weakClient: Weak<QueryClient>
    do {
      let client = QueryClient(simulation: simulation)
      weakClient = Weak(client)
      let query = Query("n") { client.data(for: QueryKey<Int>("m")) ?? 0 }
        .gcTime(.seconds(Int64.max))
      simulation.run { await client.prefetch(query) }
      client.shutDown()
    }
    simulation.settle()
    expect(weakClient.isGone)
  }

  @Test(arguments: ["land", "fail", "cancel", "remove", "expire"])
  func whatAFetchCapturedGoesWithTheEntry(end: String) {
    let client = QueryClient(simulation: simulation)
    let held = Dial<Witness?>(Witness())
    let weak = Weak(held.value ?? Witness())
    do {
      let witness = held.value
      let script = ScriptedFetch<Int>(
        end == "fail" ? .failure(Boom(), after: .seconds(1)) : .value(1, after: .seconds(1))
      )
      let query = Query<Int>("n") {
        _ = witness
        return try await script()
      }.retry(.never).merge { old, new in
        _ = witness
        return new
      }.enabled { _ in witness != nil || true }
      let recording = simulation.record(client.stream(query))
      simulation.advance(by: end == "cancel" ? .milliseconds(10) : .seconds(2))
      recording.cancel()
      simulation.settle()
    }
    held.value = nil
    if end == "expire" {
      simulation.advance(by: .minutes(5))
    } else {
      client.remove("n")
      simulation.settle()
    }
    expect(weak.isGone)
    expect(simulation.isIdle)
  }

  @Test func thousandsOfCancellationsLeaveNothing() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    for round in 0..<4 {
      let tasks = (0..<1_000).map { n in
        simulation.task {
          if n.isMultiple(of: 2) {
            _ = try? await client.fetch(.scripted("n\(n % 7)", fetch))
          } else {
            for await _ in client.stream(.scripted("n\(n % 7)", fetch)) {}
          }
        }
      }
      if round.isMultiple(of: 2) { simulation.settle() }
      for task in tasks { task.cancel() }
      simulation.settle()
      expectEqual(simulation.leakReport(), [])
      #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 && $0.waiterCount == 0 })
    }
    expectEqual(fetch.runningCount, 0)
    simulation.advance(by: .minutes(5))
    expectEmpty(client.diagnostics())
  }

  private enum Request {
    @TaskLocal static var current: String?
  }

  @Test func whatLastsAsLongAsTheClientInheritsNothingOfWhoCameFirst() {
    let client = QueryClient(simulation: simulation)
    let seen = Notes<String?>()
    // Its staleness comes with the timer, and the option is asked about it on the loop.
    let query = Query("n") { 1 }.staleTime(.seconds(1)).enabled { _ in
      seen.add(Request.current)
      return true
    }
    let recording = Request.$current.withValue("first") {
      simulation.record(client.stream(query))
    }
    simulation.settle()
    let before = seen.count
    simulation.advance(by: .seconds(2))
    #expect(seen.count > before)
    #expect(seen.all.dropFirst(before).allSatisfy { $0 == nil })
    recording.cancel()
    simulation.settle()
  }
}
