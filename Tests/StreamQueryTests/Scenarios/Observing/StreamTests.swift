import StreamQuery
import StreamQueryTesting
import Testing

struct StreamTests {
  let simulation = Simulation(seed: 5)

  // L01 L04
  @Test
  func aStreamIsHotFromTheCallOnEvenIfNobodyIteratesIt() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let held = Dial<AsyncStream<QueryResult<Int>>?>(client.stream(.scripted("n", fetch)))
    expectEqual(client.diagnostics("n").map(\.observerCount), [1])
    expect(client.result(for: .scripted("n", fetch)).isLoading)
    simulation.advance(by: .milliseconds(10))
    expectEqual(client.data(for: QueryKey<Int>("n")), 1)
    // Retained and not iterated: no retention runs.
    simulation.advance(by: .hours(10))
    expectEqual(client.data(for: QueryKey<Int>("n")), 1)
    expectEqual(simulation.leakReport(), ["subscribers of queries: 1"])
    held.value = nil
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
    simulation.advance(by: .minutes(5))
    expectEmpty(client.diagnostics())
  }

  // L01
  @Test
  func theFirstElementIsTheNewestStateAndNotTheOneAtTheCall() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let stream = client.stream(.scripted("n", fetch))
    simulation.advance(by: .milliseconds(10))
    let recording = simulation.record(stream)
    simulation.advance(by: .milliseconds(10))
    #expect(recording.timeline == [at(10, .success(1))])
  }

  // L01
  @Test
  func cachedDataComesFirstWithTheRefreshAlreadyMarked() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    simulation.advance(by: .seconds(1))
    let fetch = ScriptedFetch<Int>(.value(2, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(1_000, .success(1, isFetching: true)), at(1_010, .success(2)),
      ]
    )
    expectEqual(recording.values.map(\.isFetchedSinceSubscribing), [false, true])
  }

  // T82
  @Test
  func aSlowConsumerSeesTheNewestStateAndNeverOneTwice() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    client.setData(0, for: QueryKey<Int>("n"))
    let seen = Notes<Int>()
    let stream = client.stream(Query(key: key))
    let task = simulation.task {
      for await result in stream {
        seen.add(result.data ?? -1)
        try? await Scheduling.current.clock.sleep(for: .milliseconds(100))
      }
    }
    for value in 1...1_000 {
      client.setData(value, for: key)
      simulation.advance(by: .milliseconds(1))
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000].map { $0 })
    task.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test
  func twoWritesInOneInstantBeforeALookAreOneElement() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    let recording = simulation.record(client.stream(Query(key: key)))
    simulation.settle()
    client.setData(1, for: key)
    client.setData(2, for: key)
    simulation.settle()
    #expect(recording.summaries == [.pending(), .success(2)])
  }

  // T32
  @Test
  func cancellingAConsumerThatWaitsEndsItAtOnceAndCancelsTheFetch() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let stream = client.stream(.scripted("n", fetch))
    let ended = Notes<Duration>()
    let simulation = simulation
    let task = simulation.task { [clock = simulation.clock] in
      for await _ in stream {}
      ended.add(clock.now.offset)
    }
    simulation.advance(by: .milliseconds(5))
    task.cancel()
    simulation.settle()
    expectEqual(ended.all, [.milliseconds(5)])
    expectEqual(fetch.calls.map(\.outcome), [.cancelled])
    expectEqual(simulation.leakReport(), [])
  }

  // T32
  @Test
  func cancellingAConsumerThatHoldsAnElementEndsItAtTheFollowingNext() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    client.setData(1, for: key)
    let stream = client.stream(Query(key: key))
    let seen = Notes<Int>()
    let task = simulation.task {
      for await result in stream {
        seen.add(result.data ?? -1)
        // Waits without a look at cancellation.
        await withUnsafeContinuation { continuation in continuation.resume() }
        try? await Scheduling.current.clock.sleep(for: .seconds(1))
      }
      seen.add(-2)
    }
    simulation.settle()
    task.cancel()
    client.setData(2, for: key)
    simulation.settle()
    expectEqual(seen.all.last, -2)
    #expect(seen.count <= 3)
    expectEqual(simulation.leakReport(), [])
  }

  // L04
  @Test
  func droppingAStreamUnsubscribesAtOnce() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    do { _ = client.stream(.scripted("n", fetch)) }
    expectEqual(client.diagnostics("n").map(\.observerCount), [0])
    simulation.settle()
    expectEqual(fetch.runningCount, 0)
    expect(simulation.isIdle)
  }

  // L04
  @Test
  func breakingOutOfALoopOverAnUnretainedStreamUnsubscribes() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    simulation.run {
      for await result in client.stream(.scripted("n", fetch)) where result.isSuccess { break }
    }
    expectEqual(client.diagnostics("n").map(\.observerCount), [0])
    expect(simulation.isIdle)
  }

  @Test(arguments: 1...40)
  func oneStreamInTwoTasksNeverHangs(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    let stream = client.stream(Query(key: key))
    let seen = Notes<Int>()
    let first = simulation.task("first") { for await r in stream { seen.add(r.data ?? 0) } }
    let second = simulation.task("second") { for await r in stream { seen.add(r.data ?? 0) } }
    for value in 1...20 {
      client.setData(value, for: key)
      simulation.settle()
    }
    expectEqual(seen.all, Array(1...20))
    first.cancel()
    simulation.settle()
    second.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  // L04
  @Test
  func resultsAreColdAndEachIteratorSubscribesForItself() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let results = client.results(of: .scripted("n", fetch))
    simulation.settle()
    expectEmpty(client.diagnostics())
    let first = simulation.record(results)
    simulation.advance(by: .milliseconds(5))
    let second = simulation.record(results)
    simulation.advance(by: .milliseconds(5))
    expectEqual(client.diagnostics("n").map(\.observerCount), [2])
    #expect(first.timeline == [at(0, .pending(isFetching: true)), at(10, .success(1))])
    #expect(second.timeline == [at(5, .pending(isFetching: true)), at(10, .success(1))])
    first.cancel()
    simulation.settle()
    expectEqual(client.diagnostics("n").map(\.observerCount), [1])
    second.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test
  func anIteratorOfResultsStaysOnTheCallersActor() async {
    // On real threads: the point is the isolation, which a simulation does not have.
    let client = QueryClient()
    let key = QueryKey<Int>("n")
    client.setData(1, for: key)
    await expectEqual(Screen().jobs(between: client.results(of: Query(key: key)), of: client), 0)
  }

  private actor Screen {
    /// Counts its jobs: a task that leaves the actor comes back with another job.
    final class Executor: SerialExecutor {
      let jobCount = Dial(0)

      func enqueue(_ job: consuming ExecutorJob) {
        jobCount.with { $0 += 1 }
        UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
      }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func jobs(between results: QueryResults<Int>, of client: QueryClient) async -> Int {
      let before = executor.jobCount.value
      for await result in results {
        guard let data = result.data, data < 5 else { break }
        client.setData(data + 1, for: QueryKey<Int>("n"))
      }
      return executor.jobCount.value - before
    }
  }

  @Test
  func aCancelledTaskGetsNoElementAndLeaksNothing() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let elements = Notes<Bool>()
    let task = simulation.task {
      for await result in client.results(of: .scripted("n", fetch)) {
        elements.add(result.isFetching)
      }
    }
    task.cancel()
    simulation.settle()
    expectEqual(elements.all, [])
    expectEqual(simulation.leakReport(), [])
  }

  /// What consumers of several kinds see that are cancelled while they hold the first element, if
  /// there is news before each look.
  @Test
  func aCancelledConsumerEndsAtTheFollowingNextWhereNewsNeverEnds() {
    let key = QueryKey<Int>("n")
    let client = QueryClient(simulation: simulation)
    let query = Query(key: key)
    client.setData(0, for: key)
    let list = client.observer(all: [AnyQuery(query)])
    expectEnd(client.stream(query), key, client)
    expectEnd(client.results(of: query), key, client)
    expectEnd(client.observer(of: query).results, key, client)
    expectEnd(client.stream(all: [query]), key, client)
    expectEnd(list.stream, key, client)
  }

  private func expectEnd<Results: AsyncSequence & Sendable>(
    _ results: Results,
    _ key: QueryKey<Int>,
    _ client: QueryClient,
    sourceLocation: SourceLocation = #_sourceLocation
  ) where Results.Failure == Never {
    let elements = Notes<Int>()
    let task = simulation.task {
      for await _ in results {
        elements.add(1)
        guard elements.count < 5 else { break }
        try? await Scheduling.current.clock.sleep(for: .seconds(1))
        client.updateData(for: key) { $0? += 1 }
      }
    }
    simulation.settle()
    task.cancel()
    simulation.advance(by: .seconds(10))
    expectEqual(elements.count, 1, sourceLocation: sourceLocation)
  }
}
