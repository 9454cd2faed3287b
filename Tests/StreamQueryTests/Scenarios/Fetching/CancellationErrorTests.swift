import StreamQueryTesting
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

@Suite("Contract law 10: an error of cancellation that nobody asked for is a failure")
struct CancellationErrorTests {
  private let simulation = Simulation()

  private func query(_ calls: Notes<Int>) -> Query<Int> {
    Query("n") {
      calls.add(1)
      throw CancellationError()
    }
  }

  @Test func aFetchThatThrowsItByItselfIsRetriedAndFails() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(CancellationError(), after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).retry(1)
    let recording = simulation.record(client.stream(query))
    let outcome = Notes<Bool>()
    simulation.task {
      do { try await client.fetch(query) } catch {
        outcome.add(error is CancellationError)
      }
    }
    simulation.advance(by: .minutes(2))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(1_020, .failure(CancellationError())),
      ]
    )
    expectEqual(outcome.all, [true])
    expectEqual(fetch.callCount, 2)
    expectEqual(recording.values.last?.failureCount, 2)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func theDataStaysAndTheCallerGetsIt() {
    let client = QueryClient(simulation: simulation)
    let query = query(Notes())
    client.setData(1, for: query)
    let recording = simulation.record(client.stream(query.retry(0)))
    simulation.settle()
    expectEqual(recording.values.last?.data, 1)
    #expect(recording.values.last?.error is CancellationError)
    #expect(throws: CancellationError.self) {
      try simulation.run { try await client.fetch(query) }
    }
    recording.cancel()
  }

  @Test func aFetchThatWaitsForOneThatIsCancelledFails() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let inner = Query<Int>("inner") {
      try await clock.sleep(for: .seconds(1))
      return 1
    }
    let outer = Query<Int>("outer") { try await client.fetch(inner) }.retry(0)
    let recording = simulation.record(client.stream(outer))
    simulation.advance(by: .milliseconds(5))
    client.cancel("inner" as QueryKey<Int>)
    simulation.settle()
    #expect(recording.values.last?.error is CancellationError)
    recording.cancel()
    client.shutDown()
  }

  @Test func aMutationThatThrowsItByItselfIsRetriedAndFails() {
    let client = QueryClient(simulation: simulation)
    let notes = Notes<String>()
    let save = Mutation("save") { (input: Int, context: MutationContext) -> Int in
      notes.add("attempt \(context.attempt)")
      throw CancellationError()
    }
    .retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(5))))
    .optimistic { input, changes in changes.update("n" as QueryKey<Int>) { $0 = input } }
    .onError { error, _ in notes.add("failed with \(type(of: error))") }
    client.setData(0, for: "n" as QueryKey<Int>)
    let recording = simulation.record(client.runs(of: save))
    #expect(throws: CancellationError.self) {
      try simulation.run { try await client.mutate(save, with: 1) }
    }
    expectEqual(notes.all, ["attempt 0", "attempt 1", "failed with CancellationError"])
    expectEqual(client.data(for: "n" as QueryKey<Int>), 0)
    expectEqual(recording.values.last?.status, .error)
    expectEqual(recording.values.last?.failureCount, 2)
    recording.cancel()
  }

  @Test func aPreparationThatThrowsItByItselfFails() {
    let client = QueryClient(simulation: simulation)
    let save = Mutation("save") { (input: Int) in input }
      .onMutate { (_, _) -> Int in throw CancellationError() }
    let recording = simulation.record(client.runs(of: save))
    #expect(throws: CancellationError.self) {
      try simulation.run { try await client.mutate(save, with: 1) }
    }
    expectEqual(recording.values.last?.status, .error)
    recording.cancel()
  }

  @Test func aMutationThatIsCancelledIsNoFailure() {
    let client = QueryClient(simulation: simulation)
    let clock = simulation.clock
    let save = Mutation("save") { (input: Int) in try await clock.sleep(for: .seconds(1)) }
    let recording = simulation.record(client.runs(of: save))
    let call = simulation.task { try await client.mutate(save, with: 1) }
    simulation.settle()
    client.cancelMutations()
    simulation.settle()
    #expect(throws: CancellationError.self) { try simulation.run { try await call.value } }
    #expect(recording.values.allSatisfy { $0.status != .error })
    recording.cancel()
  }

  @Test func aFetchThatIsCancelledIsNoFailure() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    client.cancel(.all)
    simulation.settle()
    #expect(recording.summaries == [.pending(isFetching: true), .pending()])
  }
}
