import StreamQuery
import StreamQueryTesting
import Testing

/// Edges of the network that wait for the runs that were paused at them.
struct HeldEdgeTests {
  private let simulation = Simulation(seed: 3)
  private let online = ManualSignal(false)
  private let client: QueryClient

  init() {
    let online = online
    client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
  }

  /// Stale data that is watched, and an edge that waits for a paused run before it refetches.
  private func observeBesideAHeldEdge() -> (
    fetch: ScriptedFetch<Int>, recording: ResultRecording<QueryResult<Int>>
  ) {
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(
      client.stream(.scripted("n", fetch).refetchOnSubscribe(false))
    )
    simulation.start(.slow("m", 100, simulation: simulation), with: 1, on: client)
    online.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    return (fetch, recording)
  }

  // Law 13: what is cleared at logout is not fetched at once.
  @Test func aClearForgetsTheRefetchesThatWaitedForItsRuns() {
    let (fetch, recording) = observeBesideAHeldEdge()
    #expect(recording.summaries == [.success(0)])
    client.clear()
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    #expect(recording.summaries == [.success(0), .pending()])
  }

  // Law 13: the edge came before the removal, and the next one is the next trigger.
  @Test func whatIsRemovedDuringTheRunsIsLeftToTheNextEdge() {
    let (fetch, recording) = observeBesideAHeldEdge()
    #expect(recording.summaries == [.success(0)])
    simulation.advance(by: .milliseconds(50))
    client.remove(QueryKey<Int>("n"))
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
    expectEqual(fetch.callCount, 0)
    #expect(recording.summaries == [.success(0), .pending()])
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    recording.cancel()
  }

  @Test func aRunThatIsCancelledFreesTheRefetches() {
    let (fetch, recording) = observeBesideAHeldEdge()
    #expect(recording.summaries == [.success(0)])
    client.cancelMutations()
    simulation.advance(by: .milliseconds(1))
    expectEqual(fetch.callCount, 1)
    #expect(recording.summaries == [.success(0), .success(0, isFetching: true), .success(1)])
  }

  // The work looks by a stream, which awaits a fetch as well.
  @Test func workThatWatchesAPausedQueryIsNotWaitedForByIt() throws {
    let fetch = ScriptedFetch<Int>(.value(7))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    let mutation = Mutation("m") { (input: Int, context: MutationContext) in
      for await result in context.client.stream(.scripted("n", fetch)) {
        if let data = result.data { return data + input }
      }
      throw CancellationError()
    }
    simulation.start(mutation, with: 1, on: client)
    expect(client.result(for: .scripted("n", fetch)).isPaused)
    online.send(true)
    simulation.settle()
    expectEqual(client.run(of: mutation).output, 8)
    recording.cancel()
  }

  // A delay may be as long as a user may change their mind.
  @Test(arguments: [false, true])
  func runsThatADelayHoldsUpAreNotWaitedFor(isDelayedFirst: Bool) {
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(
      client.stream(.scripted("n", fetch).refetchOnSubscribe(false))
    )
    let plain = Mutation<Int, Int>.slow("m", 100, simulation: simulation).scope("s")
    let delayed = plain.delayed(by: .hours(1))
    for mutation in isDelayedFirst ? [delayed, plain] : [plain, delayed] {
      simulation.start(mutation, with: 1, on: client)
    }
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), isDelayedFirst ? 2 : 1)
    expectEqual(fetch.callCount, 1)
    client.cancelMutations()
    simulation.settle()
    recording.cancel()
  }

  // Each edge again would make the network's flapping a list without end.
  @Test func edgesThatWaitForTheSameRunsRefetchOnce() {
    let fetch = ScriptedFetch<Int>(.value(1))
    let asked = Notes<Int>()
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).refetchOnSubscribe(false)
          .refetchOnReconnect(
            .when {
              asked.add(1)
              return false
            }
          )
      )
    )
    simulation.start(
      Mutation<Int, Int>.slow("m", 100, simulation: simulation).scope("s"),
      with: 1,
      on: client
    )
    simulation.start(
      Mutation<Int, Int>.slow("m", 100, simulation: simulation).scope("s"),
      with: 2,
      on: client
    )
    for _ in 0..<10 {
      online.send(true)
      simulation.settle()
      online.send(false)
      simulation.settle()
    }
    expectEqual(asked.count, 0)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
    expectEqual(asked.count, 1)
    recording.cancel()
  }

  @Test(
    "an edge that counts as the one before it waits for the runs that it resumes, too",
    arguments: [5, 20],
    [false, true]
  )
  func edgesInQuickSuccession(seconds: Int, isPaused: Bool) {
    let online = online
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.reconnectPacing = .coalescing(.seconds(10))
    }
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    let query = Query.scripted("n", fetch).refetchOnSubscribe(.never)
    var recordings = [simulation.record(client.stream(query))]
    online.send(true)
    simulation.settle()
    expectEqual(fetch.calls.map(\.start), [.zero])
    simulation.advance(by: .seconds(1))
    online.send(false)
    simulation.settle()
    let other = ScriptedFetch<Int>(.value(1))
    if isPaused { recordings.append(simulation.record(client.stream(.scripted("other", other)))) }
    simulation.start(
      Mutation<Int, Int>.slow("m", seconds * 1_000, simulation: simulation),
      with: 1,
      on: client
    )
    online.send(true)
    simulation.advance(by: .seconds(40))
    expectEqual(fetch.calls.map(\.start), [.zero, .seconds(seconds + 1)])
    expectEqual(other.calls.map(\.start), isPaused ? [.seconds(seconds + 1)] : [])
    for recording in recordings { recording.cancel() }
  }

  @Test("the spread refetches of an edge before it wait for these runs, too")
  func spreadRefetchesOfTheEdgeBefore() {
    let online = online
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.reconnectPacing = .spreading(over: .seconds(60))
    }
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.value(1))
    client.setData(0, for: QueryKey<Int>("n"))
    let recording = simulation.record(
      client.stream(.scripted("n", fetch).refetchOnSubscribe(.never))
    )
    online.send(true)
    simulation.advance(by: .milliseconds(1))
    online.send(false)
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    simulation.start(
      Mutation<Int, Int>.slow("m", 100_000, simulation: simulation),
      with: 1,
      on: client
    )
    online.send(true)
    simulation.advance(by: .seconds(90))
    expectEqual(client.mutatingCount(), 1)
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(90))
    expectEqual(fetch.callCount, 1)
    recording.cancel()
  }
}
