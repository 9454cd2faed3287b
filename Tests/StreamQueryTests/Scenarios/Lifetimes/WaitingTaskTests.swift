import StreamQuery
import StreamQueryTesting
import Testing

/// Between attempts, in a pause, behind others: what waits in its caller's context ends when nobody
/// can want it any more, and keeps no client alive.
struct WaitingTaskTests {
  let simulation = Simulation(seed: 73)
  let online = ManualSignal(true)

  private func makeClient() -> QueryClient {
    let online = online
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    return client
  }

  private func query(_ calls: Notes<Int> = Notes()) -> Query<Int> {
    Query("n") { (context: FetchContext) in
      calls.add(context.attempt)
      if context.attempt == 0 { throw Boom() }
      return context.attempt
    }
    .retry(1) { _ in .seconds(10) }
  }

  /// Begins something as a caller whose task-local lives for as long as a task that inherited it.
  private func begin(_ body: () -> Void) -> Weak<Witness> {
    let witness = Witness()
    Caller.$witness.withValue(witness, operation: body)
    simulation.advance(by: .seconds(1))
    return Weak(witness)
  }

  @Test(
    arguments: [
      "the retry", "cancel", "remove", "clear", "shutDown", "reset", "a fenced write",
      "the last observer", "a refetch",
    ],
    [false, true]
  )
  func theTaskOfAFetchThatWaitsEnds(by means: String, isOffline: Bool) {
    let client = makeClient()
    if isOffline {
      online.send(false)
      simulation.settle()
    }
    let query = query()
    var stream: AsyncStream<QueryResult<Int>>?
    let witness = begin { stream = client.stream(query) }
    expect(!witness.isGone)
    switch means {
    case "the retry":
      online.send(true)
      simulation.advance(by: .seconds(20))
    case "cancel": client.cancel(query)
    case "remove": client.remove(query)
    case "clear": client.clear()
    case "shutDown": client.shutDown()
    case "reset": simulation.task { await client.reset(query) }
    case "a fenced write": client.setData(7, for: query, fencing: true)
    case "the last observer": stream = nil
    default:
      client.setData(7, for: query)
      simulation.task { await client.refetch(query) }
    }
    online.send(true)
    simulation.advance(by: .seconds(30))
    expect(witness.isGone)
    withExtendedLifetime(stream) {}
    stream = nil
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test(arguments: [false, true])
  func theTaskOfAFetchThatWaitsEndsWithItsClient(isOffline: Bool) {
    let witness: Weak<Witness>
    let weakClient: Weak<QueryClient>
    do {
      let client = makeClient()
      weakClient = Weak(client)
      let query = query().staleTime(.zero)
      client.setData(0, for: query)
      if isOffline {
        online.send(false)
        simulation.settle()
      }
      // Nobody waits for the refetch but the client itself.
      witness = begin { simulation.task { _ = try await client.ensure(query, revalidating: true) } }
      expect(!witness.isGone)
      expectEqual(simulation.leakReport(), ["a fetch of [\"n\"] that is not settled"])
    }
    expect(weakClient.isGone)
    simulation.settle()
    expect(witness.isGone)
    expectEqual(simulation.leakReport(), [])
  }

  @Test(
    arguments: ["its end", "cancel", "clear", "shutDown", "the client"],
    ["retry", "pause", "lane"]
  )
  func theTaskOfARunThatWaitsEnds(by means: String, waitingFor wait: String) {
    let calls = Notes<String>()
    var witness: Weak<Witness>?
    do {
      let client = makeClient()
      if wait == "pause" {
        online.send(false)
        simulation.settle()
      }
      let clock = simulation.clock
      let mutation = Mutation<Int, Int>("m") { input, context in
        calls.add("\(input) \(context.attempt)")
        if input == 0 { try await clock.sleep(for: .seconds(5)) }
        if input == 1, wait == "retry", context.attempt == 0 { throw Boom() }
        return input
      }
      .retry(.times(1).backoff(.constant(.seconds(10))))
      .scope("lane")
      if wait == "lane" { client.observer(of: mutation).start(with: 0) }
      simulation.settle()
      witness = begin { client.observer(of: mutation).start(with: 1) }
      expectEqual(witness?.isGone, false)
      switch means {
      case "its end":
        online.send(true)
        simulation.advance(by: .seconds(20))
        expectEqual(client.mutatingCount(), 0)
      case "cancel": client.cancelMutations()
      case "clear": client.clear()
      case "shutDown": client.shutDown()
      default: break
      }
      // Retention keeps a run that is over, and the run its layers, but no task.
    }
    simulation.advance(by: .seconds(20))
    expectEqual(witness?.isGone, true)
    expectEqual(simulation.leakReport(), [])
  }

  // Law 8: what a transaction asks for is done in order, and an end that came first holds.
  @Test func aFetchThatIsCancelledBeforeItIsStartedIsNotCalled() {
    let intrusion = Intrusion()
    let client = QueryClient(simulation: simulation) { $0.onEvent = { _ in intrusion.happen() } }
    let calls = Notes<Int>()
    let query = query(calls)
    let recording = Notes<ResultRecording<QueryResult<Int>>>()
    let simulation = simulation
    let witness = begin {
      intrusion.call("ada", into: client) {
        recording.add(simulation.record(client.stream(query)))
        client.cancel(query)
      }
    }
    expectEqual(calls.all, [])
    expect(witness.isGone)
    #expect(recording.all.first?.summaries == [.pending()])
    recording.all.first?.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  // The executor is free to run a job where it is brought to it.
  @Test func anExecutorThatRunsJobsAtOnceSeesTheSame() {
    let intrusion = Intrusion()
    let client = QueryClient(
      configuration: .init(
        connectivity: .alwaysOnline,
        activity: .alwaysActive,
        executor: RunsAtOnce(),
        onEvent: { _ in intrusion.happen() }
      )
    )
    let seen = Notes<String>()
    let query = Query("n") { (context: FetchContext) -> Int in
      seen.add("fetch \(Caller.name)")
      return 1
    }
    let mutation = Mutation<Int, Int>("m") { input in
      seen.add("work \(Caller.name)")
      return input
    }
    .onMutate { _, _ in seen.add("onMutate \(Caller.name)") }
    .onSuccess { _, _ in seen.add("onSuccess \(Caller.name)") }
    let streams = Notes<AsyncStream<QueryResult<Int>>>()
    intrusion.call("ada", into: client) {
      streams.add(client.stream(query))
      client.observer(of: mutation).start(with: 1)
    }
    expectEqual(seen.all, ["fetch ada", "onMutate ada", "work ada", "onSuccess ada"])
    expectEqual(client.data(for: query), 1)
    expectEqual(client.run(of: mutation).output, 1)
  }
}

/// Runs a job inside of `enqueue`.
private final class RunsAtOnce: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
