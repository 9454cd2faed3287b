import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// `FetchCompletion.onCancel`: work that is given up with its fetch.
struct FetchCompletionCancelTests {
  let simulation = Simulation(seed: 1)

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
    expectEqual(call.cancelCount.withLock { $0 }, 0)
    recording.cancel()
    simulation.settle()
    expectEqual(call.cancelCount.withLock { $0 }, 1)
    call.answer(1)
    simulation.settle()
    expectEqual(call.cancelCount.withLock { $0 }, 1)
    expectNil(client.data(for: QueryKey<Int>("n")))
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
    expectEqual(call.cancelCount.withLock { $0 }, 0)
    expectEqual(client.data(for: QueryKey<Int>("n")), 1)
  }

  /// The answer is there, and the fetch has yet to see it.
  @Test func workThatAnsweredIsNotGivenUpByALateCancellation() {
    let client = QueryClient(simulation: simulation)
    let call = Call()
    let query = call.query()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    call.answer(1)
    expect(client.result(for: query.key).isFetching)
    client.cancel(query)
    simulation.settle()
    expectNil(client.data(for: query.key))
    expectEqual(call.cancelCount.withLock { $0 }, 0)
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
    expect(client.result(for: query.key).isFetching)
    client.cancel(query)
    simulation.settle()
    expectNil(client.result(for: query.key).error)
    expectEqual(call.cancelCount.withLock { $0 }, 0)
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
    expectEqual(lateCount.withLock { $0 }, 1)
    expectEqual(call.cancelCount.withLock { $0 }, 1)
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
    expectEqual(lateCount.withLock { $0 }, 0)
    recording.cancel()
    simulation.settle()
  }
}
