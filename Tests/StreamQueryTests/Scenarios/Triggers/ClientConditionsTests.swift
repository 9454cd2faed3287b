@_spi(Adapters) @testable import StreamQuery
import StreamQueryTesting
import Testing

/// The conditions under which a developer tool puts a client.
struct ClientConditionsTests {
  let simulation = Simulation(seed: 34)

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.record = .last(100)
      configure(&$0)
    }
  }

  private func info(of key: AnyQueryKey, in client: QueryClient) throws -> QueryInfo {
    try #require(client.diagnostics(.prefix(key)).first)
  }

  @Test func aClientWithoutARecordTakesNone() {
    let client = QueryClient(simulation: simulation)
    expectNil(client.conditions)
    expect(!client.changeConditions(.offline(true)))
    expect(client.connectivityIsOnline)
  }

  @Test func theNextFetchFailsWithAllOfItsAttemptsAndTheOneAfterItDoesNot() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let query = Query("n", fetch: fetch).retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let info = try info(of: "n", in: client)
    client.changeConditions(.failNext(info))
    expectEqual(client.conditions?.failingCount, 1)
    expectEqual(client.conditions?.failingCount, 1)
    client.markInvalidated(.query(query))
    simulation.settle()
    expectEqual(client.conditions?.failingCount, 0)
    // A tool shows what is still to fail.
    expectEqual(client.conditions?.failingCount, 0)
    expectEqual(recording.values.last?.isFetching, true)
    simulation.advance(by: .seconds(10))
    let failures = recording.values.compactMap { $0.failureReason.map { "\($0)" } }
    expectEqual(Set(failures), ["a developer tool made the fetch fail"])
    expect(recording.values.last?.error != nil && fetch.calls.count == 1)
    client.markInvalidated(.query(query))
    simulation.settle()
    #expect(recording.summaries.last == .success(2))
    expectEqual(client.conditions?.isEmpty, true)
  }

  @Test func aFetchThatWasMadeToFailIsForgottenWhenItIsOver() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query("n", fetch: fetch).retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.changeConditions(.failNext(try info(of: "n", in: client)))
    client.markInvalidated(.query(query))
    simulation.settle()
    // Its second attempt is still to fail.
    expectEqual(client.conditions?.isEmpty, false)
    simulation.advance(by: .seconds(10))
    expect(recording.values.last?.error != nil)
    expectEqual(client.conditions?.isEmpty, true)
  }

  @Test func aFetchThatHasBegunIsNotTheNextOne() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Boom(1)), .value(2), .value(3))
    let query = Query("n", fetch: fetch).retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.markInvalidated(.query(query))
    simulation.settle()
    // The fetch waits for its second attempt.
    client.changeConditions(.failNext(try info(of: "n", in: client)))
    simulation.advance(by: .seconds(2))
    #expect(recording.summaries.last == .success(2))
    expectEqual(client.conditions?.failingCount, 1)
    client.markInvalidated(.query(query))
    simulation.advance(by: .seconds(10))
    expect(recording.values.last?.error != nil && fetch.calls.count == 3)
  }

  @Test func aFetchThatWaitsForItsTurnIsTheNextOne() throws {
    let client = client { $0.maxConcurrentFetches = 1 }
    let slow = Query("slow", fetch: ScriptedFetch<Int>(.value(0, after: .seconds(1))))
    let other = simulation.record(client.stream(slow))
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch).retry(0)))
    simulation.settle()
    client.changeConditions(.failNext(try info(of: "n", in: client)))
    simulation.advance(by: .seconds(5))
    expect(recording.values.last?.error != nil && fetch.calls.isEmpty)
    expectEqual(client.conditions?.isEmpty, true)
    withExtendedLifetime(other) {}
  }

  @Test func twoFetchesInARowAreMadeToFail() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let query = Query("n", fetch: fetch).retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let info = try info(of: "n", in: client)
    client.changeConditions(.failNext(info))
    client.markInvalidated(.query(query))
    simulation.settle()
    // The first fetch waits for its second attempt.
    client.changeConditions(.failNext(info))
    simulation.advance(by: .seconds(10))
    expect(recording.values.last?.error != nil && fetch.calls.count == 1)
    client.markInvalidated(.query(query))
    simulation.advance(by: .seconds(10))
    expect(recording.values.last?.error != nil && fetch.calls.count == 1)
    client.markInvalidated(.query(query))
    simulation.settle()
    #expect(recording.summaries.last == .success(2))
  }

  @Test func aFetchThatIsCancelledInItsDelayUsesUpNoFailure() throws {
    let client = client()
    client.setData(0, for: QueryKey<Int>("n"))
    let info = try info(of: "n", in: client)
    client.changeConditions(.delay(.seconds(5)))
    client.changeConditions(.failNext(info))
    let query = Query("n") { 1 }.staleTime(.seconds(0))
    let task = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(4))
    task.cancel()
    simulation.advance(by: .seconds(4))
    expectEqual(client.conditions?.failingCount, 1)
    client.changeConditions(.delay(.zero))
    #expect(throws: ClientConditions.Failure.self) {
      try simulation.run { try await client.fetch(query) }
    }
  }

  @Test func theEndOfTheConditionsEndsAllOfThem() throws {
    let client = client()
    client.setData(0, for: QueryKey<Int>("n"))
    expectEqual(client.conditions?.isEmpty, true)
    let info = try info(of: "n", in: client)
    for change in [.offline(true), .delay(.seconds(5)), .failNext(info)]
      as [ClientConditions.Change]
    {
      client.changeConditions(change)
      expectEqual(client.conditions?.isEmpty, false)
      client.changeConditions(.end)
      expectEqual(client.conditions?.isEmpty, true)
    }
    client.changeConditions(.offline(true))
    let recording = simulation.record(client.stream(Query("m") { 1 }))
    simulation.settle()
    #expect(recording.summaries == [.pending(.paused)])
    client.changeConditions(.end)
    simulation.settle()
    #expect(recording.summaries.last == .success(1))
  }

  @Test func aFailureThatIsTakenBackDoesNotComeAndOnlyOneKeyFails() throws {
    let client = client()
    for name in ["a", "b"] { client.setData(0, for: QueryKey<Int>("n", name)) }
    let infos = client.diagnostics(.prefix("n"))
    client.changeConditions(.failNext(infos[0]))
    client.changeConditions(.failNext(infos[1]))
    client.changeConditions(.clearFailNext(infos[0]))
    let fetched = try simulation.run { try await client.fetch(Query("n", "a") { 1 }) }
    expectEqual(fetched, 1)
    #expect(throws: ClientConditions.Failure.self) {
      try simulation.run { try await client.fetch(Query("n", "b") { 1 }) }
    }
  }

  @Test func eachAttemptOfAFetchAndOfARunTakesLonger() throws {
    let client = client()
    client.changeConditions(.delay(.seconds(2)))
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .value(1))
    let query = Query("n", fetch: fetch).retry(1) { _ in .seconds(1) }
    let recording = simulation.record(client.stream(query))
    let notes = Notes<Int>()
    let mutation = Mutation<Int, Int>("m") { (input: Int) in
      notes.add(input)
      return input
    }
    simulation.task { try await client.mutate(mutation, with: 7) }
    simulation.advance(by: .milliseconds(1_999))
    expect(fetch.calls.isEmpty && notes.all.isEmpty)
    simulation.advance(by: .milliseconds(1))
    expect(fetch.calls.count == 1 && notes.all == [7])
    simulation.advance(by: .milliseconds(2_999))
    expectEqual(fetch.calls.count, 1)
    simulation.advance(by: .milliseconds(1))
    #expect(recording.summaries.last == .success(1))
    client.changeConditions(.delay(.seconds(-1)))
    client.markInvalidated(.query(query))
    simulation.settle()
    expectEqual(fetch.calls.count, 3)
  }

  @Test func aClientThatIsMadeOfflinePausesAndRefetchesWhenItIsBack() {
    let client = client()
    client.changeConditions(.offline(true))
    let recording = simulation.record(client.stream(Query("n") { 1 }))
    simulation.settle()
    #expect(recording.summaries == [.pending(.paused)])
    client.changeConditions(.offline(false))
    simulation.settle()
    #expect(recording.summaries.last == .success(1))
  }

  @Test(arguments: [true, false])
  func theSourceOfTheNetworkCountsAgainWhenTheConditionIsGone(isOnline: Bool) {
    let online = ManualSignal(true)
    let client = client { $0.connectivity = Connectivity { online } }
    simulation.settle()
    client.changeConditions(.offline(true))
    online.send(false)
    simulation.settle()
    online.send(isOnline)
    simulation.settle()
    expect(!client.connectivityIsOnline)
    client.changeConditions(.offline(false))
    expectEqual(client.connectivityIsOnline, isOnline)
  }

  @Test func aNetworkThatIsTakenAwayIsAwayForLongerThanItsSourceIsTrusted() {
    let online = ManualSignal(true)
    let client = client {
      $0.connectivity = Connectivity { online }.trusted(for: .minutes(2))
    }
    simulation.settle()
    client.changeConditions(.offline(true))
    simulation.advance(by: .minutes(5))
    expect(!client.connectivityIsOnline)
    online.send(false)
    simulation.advance(by: .minutes(5))
    expect(!client.connectivityIsOnline)
    // The source was believed for long enough.
    client.changeConditions(.offline(false))
    simulation.settle()
    expect(client.connectivityIsOnline)
    client.changeConditions(.offline(true))
    expect(!client.connectivityIsOnline)
    client.changeConditions(.offline(false))
    expect(client.connectivityIsOnline)
  }
}

extension QueryClient {
  nonisolated fileprivate var connectivityIsOnline: Bool { cache.read { $0.environment.isOnline } }
}
