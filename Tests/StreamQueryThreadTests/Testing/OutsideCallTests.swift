import StreamQuery
import StreamQueryTesting
import Testing

/// Calls from asynchronous tests, which nobody would ever answer.
struct OutsideCallTests {
  private let reports = Collected<String>()
  private let simulation: Simulation
  private let client: QueryClient
  private let slow = Query(
    "user",
    1,
    fetch: ScriptedFetch<Int>(.value(1, after: .milliseconds(300)))
  )

  init() {
    simulation = Simulation(onFailure: { [reports] in reports.append($0) })
    client = QueryClient(simulation: simulation)
  }

  private func expectReport(
    _ texts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = reports.lines.filter { $0.contains("would never end") }
    expectEqual(found.count, 1, sourceLocation: sourceLocation)
    for text in texts {
      expectEqual(found.first?.contains(text), true, "\(text)", sourceLocation: sourceLocation)
    }
  }

  @Test func aFetchSaysWhatItWaitsForAndEnds() async {
    await #expect(throws: CancellationError.self) { try await client.fetch(slow) }
    expectReport(
      "A wait for a fetch of [\"user\", 1] would never end",
      "simulation.run",
      "simulation.task",
      "a fetch of [\"user\", 1] runs",
      "`settle()` runs them"
    )
    expectEqual(reports.lines.count, 1)
  }

  @Test func aFetchWithALimitEndsToo() async {
    await #expect(throws: CancellationError.self) {
      try await client.fetch(slow, timeout: .seconds(3))
    }
    expectReport("A wait for a fetch of [\"user\", 1] would never end")
  }

  @Test func theReportFailsTheTest() async {
    await withKnownIssue {
      let simulation = Simulation()
      let client = QueryClient(simulation: simulation)
      _ = try? await client.fetch(slow)
    } matching: {
      "\($0)".contains("would never end")
    }
  }

  @Test func soDoesAFetchAfterADrive() async {
    let recording = simulation.record(client.stream(slow))
    simulation.settle()
    await #expect(throws: CancellationError.self) { try await client.fetch(slow) }
    expectReport("the next thing happens in 0.3 seconds: `advance(by:)` moves it")
    withExtendedLifetime(recording) {}
  }

  @Test func aLoopOverAStreamEnds() async {
    var seen = 0
    for await _ in client.stream(slow) { seen += 1 }
    expectEqual(seen, 1)
    expectReport("A wait for news of [\"user\", 1] would never end")
  }

  @Test func aLoopOverResultsEnds() async {
    var seen = 0
    for await _ in client.results(of: slow) { seen += 1 }
    expectEqual(seen, 1)
    expectReport("A wait for news of [\"user\", 1] would never end")
  }

  @Test func aLoopOverAListEnds() async {
    var seen = 0
    for await _ in client.stream(all: [slow]) { seen += 1 }
    expectEqual(seen, 1)
    expectReport("A wait for news of several queries would never end")
  }

  @Test func aLoopOverEventsEnds() async {
    for await _ in client.events {}
    expectReport("A wait for events would never end")
  }

  @Test func aLoopOverCountsEnds() async {
    for await _ in client.fetchingCountStream() {}
    expectReport("A wait for counts of fetches would never end")
  }

  @Test func aLoopOverRunsEnds() async {
    for await _ in client.runs(of: Mutation<Int, Int>("double") { input, _ in input * 2 }) {}
    expectReport("A wait for news of a mutation would never end")
  }

  @Test func aRunOfAMutationEnds() async {
    let mutation = Mutation<Int, Int>("double") { input, _ in input * 2 }
    await #expect(throws: CancellationError.self) { try await client.mutate(mutation, with: 2) }
    expectReport("A wait for a run of the mutation [\"double\"] would never end")
  }

  @Test func aBulkCallEnds() async {
    let recording = simulation.record(client.stream(slow))
    simulation.settle()
    await client.invalidate(slow)
    expectReport("A wait for fetches of queries would never end")
    withExtendedLifetime(recording) {}
  }

  @Test func aSleepOnTheClockEnds() async {
    await #expect(throws: CancellationError.self) {
      try await simulation.clock.sleep(for: .seconds(1))
    }
    expectReport("A wait for virtual time would never end")
    expect(simulation.isIdle)
  }

  @Test func aTaskThatNobodyDrivesForIsGivenUpInTheEnd() async {
    simulation.watchOutsideWaits {}
    let caller = Task { [client, slow] in try await client.fetch(slow) }
    await #expect(throws: CancellationError.self) { try await caller.value }
    expectReport("nobody drove it", "a fetch of [\"user\", 1] runs")
  }

  @Test func aTaskForWhichSomebodyDrivesIsAnswered() async throws {
    let (parked, whenParked) = AsyncStream.makeStream(of: Void.self)
    let (driven, whenDriven) = AsyncStream.makeStream(of: Void.self)
    simulation.watchOutsideWaits {
      whenParked.yield()
      for await _ in driven { return }
    }
    async let value = client.fetch(slow)
    for await _ in parked { break }
    simulation.advance(by: .seconds(1))
    try await expectEqual(value, 1)
    whenDriven.finish()
    #expect(!reports.lines.contains { $0.contains("would never end") })
  }

  @Test func whatIsThereNeedsNoDrive() async throws {
    client.setData(7, for: slow.key)
    try await expectEqual(client.fetch(slow.staleTime(.minutes(5))), 7)
    try await expectEqual(client.ensure(slow), 7)
    await client.invalidate(slow)
    expectEqual(reports.lines, [])
  }

  @Test func callsInsideAreNobodysBusiness() throws {
    let (client, slow) = (client, slow)
    let executor = simulation.executor
    let sum = try simulation.run {
      async let first = client.fetch(slow)
      let second = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await client.fetch(slow) }
        return try await group.next() ?? 0
      }
      let detached = Task.detached(executorPreference: executor) { try await client.fetch(slow) }
      return try await first + second + detached.value
    }
    expectEqual(sum, 3)
    expectEqual(reports.lines, [])
  }

  /// Tasks there prefer no executor: that their thread drives tells that they are inside.
  @MainActor @Test func soAreCallsInASimulatedMainActor() throws {
    let query = slow
    let sum = try Simulation.onMainActor(onFailure: { [reports] in reports.append($0) }) {
      simulation in
      let client = QueryClient(simulation: simulation)
      let plain = Task { try await client.fetch(query) }
      return try await client.fetch(query) + plain.value
    }
    expectEqual(sum, 2)
    expectEqual(reports.lines, [])
  }
}
