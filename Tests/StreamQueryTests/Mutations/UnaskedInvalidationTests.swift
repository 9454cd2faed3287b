import StreamQuery
import StreamQueryTesting
import Testing

/// A mutation changes the server; what that makes old is said by whoever knows.
struct UnaskedInvalidationTests {
  let simulation = Simulation(seed: 50)

  /// A client with one observed query, fresh, and the numbers that its server gives.
  private func observed() -> (QueryClient, ScriptedFetch<Int>, ResultRecording<QueryResult<Int>>) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>((1...9).map { .value($0, after: .milliseconds(10)) })
    let query = Query(key: ["users", 1], fetch: fetch)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(10))
    #expect(recording.timeline == story())
    return (client, fetch, recording)
  }

  private func story(_ rest: TimedSummary<Int>...) -> [TimedSummary<Int>] {
    [at(0, .pending(isFetching: true)), at(10, .success(1))] + rest
  }

  // U03
  @Test(arguments: ["users", "other"])
  func aMutationInvalidatesNothingByItself(_ key: String) throws {
    let (client, fetch, recording) = observed()
    let events = simulation.record(client.events)
    // Of the query's own key too, and whether it succeeds or fails.
    let save = Mutation<Int, Int>.slow([key, 1], simulation: simulation)
    let fail = Mutation([key, 1] as AnyQueryKey) { (_: Int) -> Int in throw Boom() }
    try expectEqual(simulation.run { try await client.mutate(save, with: 1) }, 101)
    #expect(throws: Boom()) { try simulation.run { try await client.mutate(fail, with: 1) } }
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == story())
    expectEqual(fetch.callCount, 1)
    expectEqual(client.diagnostics().map(\.isInvalidated), [false])
    let isOfRuns = events.values.map { if case .mutation = $0.kind { true } else { false } }
    expect(!isOfRuns.isEmpty && isOfRuns.allSatisfy { $0 })
    recording.cancel()
    events.cancel()
  }

  // U03
  @Test func aCallbackInvalidatesWhatItNames() throws {
    let (client, fetch, recording) = observed()
    let save = Mutation<Int, Int>.slow(simulation: simulation)
      .onSuccess { _, context in await context.client.invalidate(.prefix("users")) }
    let saved = try simulation.run { try await client.mutate(save, with: 1) }
    expectEqual(saved, 101)
    // The caller heard when the callback was through.
    expectEqual(simulation.now, .milliseconds(30))
    #expect(recording.timeline == story(at(20, .success(1, isFetching: true)), at(30, .success(2))))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  // U03
  @Test func whoAwaitsAMutationInvalidatesAfterwards() throws {
    let (client, fetch, recording) = observed()
    let save = Mutation<Int, Int>.slow(simulation: simulation)
    try simulation.run {
      _ = try await client.mutate(save, with: 1)
      await client.invalidate(.prefix("users"))
    }
    #expect(recording.timeline == story(at(20, .success(1, isFetching: true)), at(30, .success(2))))
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }
}
