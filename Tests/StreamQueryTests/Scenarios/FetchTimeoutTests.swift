import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// Callers who wait only so long, and work that is given up with its fetch.
@Suite struct FetchTimeoutTests {
  let simulation = Simulation(seed: 1)

  @Test func aValueThatComesInTimeIsReturned() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(7, after: .seconds(1))))
    let value = try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    #expect(value == 7)
    #expect(simulation.now == .seconds(1))
    #expect(simulation.leakReport() == [])
  }

  @Test func whoWaitsTooLongThrowsAndTheFetchOfNobodyEnds() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(10)))
    let query = Query.scripted("n", fetch)
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: .seconds(2))) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
    #expect(simulation.now == .seconds(2))
    #expect(!client.result(for: query.key).isFetching)
    #expect(simulation.leakReport() == [])
  }

  /// A simulation runs on for what waits by its clock, so the limit has to.
  @Test func aFetchThatNeverComesIsGivenUpAfterTheLimit() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    #expect(throws: QueryError.timedOut(key: #"["n"]"#, limit: .seconds(2))) {
      try simulation.run { try await client.fetch(query, timeout: .seconds(2)) }
    }
    #expect(simulation.now == .seconds(2))
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
    #expect(try simulation.run { try await patient.value } == 7)
    #expect(fetch.callCount == 1)
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
    #expect(try simulation.run { try await client.fetch(query, timeout: limit) } == 3)
  }

  @Test func staleDataIsNotInTime() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(7, after: .seconds(1))))
      .staleTime(.seconds(1))
    client.setData(3, for: query)
    simulation.advance(by: .seconds(5))
    #expect(try simulation.run { try await client.fetch(query, timeout: .seconds(2)) } == 7)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
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
    #expect(try await client.fetch(query, timeout: limit) == 7)
    client.shutDown()
  }

  @Test func aCancelledCallerThrowsCancellation() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.never))
    let caller = simulation.task { try await client.fetch(query, timeout: .seconds(9)) }
    simulation.settle()
    caller.cancel()
    #expect(throws: CancellationError.self) { try simulation.run { try await caller.value } }
    #expect(simulation.now == .zero)
    #expect(simulation.leakReport() == [])
  }

  // MARK: Work with a completion

  /// A call of an API that can be cancelled.
  final class Call: Sendable {
    let completion = Mutex<FetchCompletion<Int>?>(nil)
    let cancelCount = Mutex(0)

    func query() -> Query<Int> {
      .callback("n") { completion in
        self.completion.withLock { $0 = completion }
        completion.onCancel { self.cancelCount.withLock { $0 += 1 } }
      }
    }

    func answer(_ value: Int) { completion.withLock { $0.take() }?(.success(value)) }

    func forget() { _ = completion.withLock { $0.take() } }
  }

  @Test func workIsGivenUpOnceWhenItsFetchIsCancelled() {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let recording = simulation.record(client.stream(call.query()))
    simulation.settle()
    #expect(call.cancelCount.withLock { $0 } == 0)
    recording.cancel()
    simulation.settle()
    #expect(call.cancelCount.withLock { $0 } == 1)
    call.answer(1)
    simulation.settle()
    #expect(call.cancelCount.withLock { $0 } == 1)
    #expect(client.data(for: QueryKey<Int>("n")) == nil)
  }

  @Test func workThatAnsweredIsNotGivenUp() {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let recording = simulation.record(client.stream(call.query()))
    simulation.settle()
    call.answer(1)
    simulation.settle()
    recording.cancel()
    simulation.settle()
    #expect(call.cancelCount.withLock { $0 } == 0)
    #expect(client.data(for: QueryKey<Int>("n")) == 1)
  }
  /// The answer is there, and the fetch has yet to see it.
  @Test func workThatAnsweredIsNotGivenUpByALateCancellation() {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let query = call.query()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    call.answer(1)
    #expect(client.result(for: query.key).isFetching)
    client.cancel(query)
    simulation.settle()
    #expect(client.data(for: query.key) == nil)
    #expect(call.cancelCount.withLock { $0 } == 0)
    recording.cancel()
    simulation.settle()
  }

  @Test func workThatForgotToAnswerIsNotGivenUp() {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let query = call.query().retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    call.forget()
    #expect(client.result(for: query.key).isFetching)
    client.cancel(query)
    simulation.settle()
    #expect(client.result(for: query.key).error == nil)
    #expect(call.cancelCount.withLock { $0 } == 0)
    recording.cancel()
    simulation.settle()
  }

  @Test func aHandlerThatComesAfterTheCancellationRunsAtOnce() throws {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let recording = simulation.record(client.stream(call.query()))
    simulation.settle()
    let completion = try #require(call.completion.withLock { $0 })
    recording.cancel()
    simulation.settle()
    let lateCount = Mutex(0)
    completion.onCancel { lateCount.withLock { $0 += 1 } }
    #expect(lateCount.withLock { $0 } == 1)
    #expect(call.cancelCount.withLock { $0 } == 1)
    call.answer(1)
  }

  @Test func aHandlerThatComesAfterTheAnswerNeverRuns() throws {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let query = call.query()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let completion = try #require(call.completion.withLock { $0 })
    call.answer(1)
    let lateCount = Mutex(0)
    completion.onCancel { lateCount.withLock { $0 += 1 } }
    client.cancel(query)
    simulation.settle()
    #expect(lateCount.withLock { $0 } == 0)
    recording.cancel()
    simulation.settle()
  }
}
