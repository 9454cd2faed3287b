import StreamQuery
import StreamQueryTesting
import Testing

struct MutationLifeTests {
  let simulation = Simulation(seed: 5)

  // U04 law 6
  @Test func cancellingTheCallerCancelsItsRunUnlessItIsDetached() async {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 50, simulation: simulation)
    let caller = simulation.start(mutation, with: 1, on: client)
    caller.cancel()
    simulation.settle()
    await #expect(throws: CancellationError.self) { try await caller.value }
    expectEmpty(client.mutations())
    expect(simulation.isIdle)

    let leaver = simulation.start(mutation, with: 2, on: client, detached: true)
    leaver.cancel()
    simulation.settle()
    await #expect(throws: CancellationError.self) { try await leaver.value }
    expectEqual(client.mutatingCount(), 1)
    simulation.advance(by: .milliseconds(50))
    expectEqual(summary(of: client.run(of: mutation)), "success 2 -> 102")
  }

  // Law 10
  @Test func aRunThatWaitsIsCancelledAtOnceAndTheNextInItsLaneGoesOn() {
    let client = QueryClient(simulation: simulation)
    let log = Notes<String>()
    let mutation = Mutation<Int, Int>.slow("m", 10, notes: log, simulation: simulation).scope("s")
    simulation.start(mutation, with: 1, on: client)
    let waiting = simulation.start(mutation, with: 2, on: client)
    simulation.start(mutation, with: 3, on: client)
    waiting.cancel()
    simulation.settle()
    expectEqual(client.mutations().map { $0.input as? Int }, [1, 3])
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, ["0 start 1", "10 end 1", "10 start 3", "20 end 3"])
  }

  // Law 10
  @Test func aCancelledRunIsNoErrorForThoseWhoFollow() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
    let runs = simulation.record(client.runs(of: mutation))
    simulation.settle()
    simulation.start(mutation, with: 1, on: client)
    client.cancelMutations("m")
    simulation.settle()
    expectEqual(runs.runs().map(\.text), ["idle", "pending 1", "idle"])
  }

  // U07 C12 law 13
  @Test func clearEndsAllRunsAndCallsNobodyBack() async {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    let calls = Notes<String>()
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation).scope("s")
      .onError { _, _ in calls.add("onError") }
      .onSettled { _, _ in calls.add("onSettled") }
    let callers = (1...3).map { simulation.start(mutation, with: $0, on: client) }
    client.clear()
    expectEmpty(client.mutations())
    simulation.advance(by: .seconds(1))
    for caller in callers {
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    expectEqual(calls.all, [])
    // The lane is free again.
    simulation.start(mutation, with: 4, on: client)
    simulation.advance(by: .milliseconds(10))
    expectEqual(summary(of: client.run(of: mutation)), "success 4 -> 104")
  }

  @Test func afterAShutdownNothingBeginsAndStreamsEnd() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow(simulation: simulation)
    let runs = simulation.record(client.runs(of: mutation))
    let all = simulation.record(client.runs(matching: .all))
    let counts = simulation.record(client.mutatingCountStream())
    simulation.start(mutation, with: 1, on: client)
    simulation.settle()
    client.shutDown()
    simulation.settle()
    // The last state is shown before the end: nothing runs any more.
    expectEqual(runs.values.last?.isIdle, true)
    expectEqual(all.values.map(\.count).suffix(2), [1, 0])
    expectEqual(counts.values.suffix(2), [1, 0])
    expect(runs.isFinished && all.isFinished && counts.isFinished)
    #expect(throws: QueryError.shutDown) {
      try simulation.run { try await client.mutate(mutation, with: 1) }
    }
    expect(simulation.isIdle)
  }

  // T70
  @Test(arguments: [false, true])
  func theEndOfAClientAnswersThoseWhoWaitOffline(isCleared: Bool) async {
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    let calls = Notes<String>()
    let key = QueryKey<Int>("n")
    let mutation = Mutation<Int, Int>.slow("m", 10, notes: calls, simulation: simulation)
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      .onSettled { _, _ in calls.add("onSettled") }
    let runs = simulation.record(client.runs(matching: .all))
    var handle: MutationObserver? = client.observer(of: mutation)
    handle?.start(with: 9)
    let callers = (1...3).map {
      simulation.start(mutation.scope("s"), with: $0, on: client, detached: $0 == 2)
    }
    expectEqual(client.mutations(.paused).count, 4)
    expectEqual(client.data(for: key), 3)
    if isCleared { client.clear() } else { client.shutDown() }
    online.send(true)
    simulation.settle()
    for caller in callers {
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    expectEqual(calls.all, [])
    expectEqual(handle?.run.isIdle, true)
    expectNil(client.data(for: key))
    expectEqual(client.mutatingCount(), 0)
    runs.cancel()
    handle = nil
    client.shutDown()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  // T65
  @Test func aRunIsForgottenAfterItsRetention() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
      .gcTime(.milliseconds(100))
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .milliseconds(109))
    expectEqual(client.mutations().count, 1)
    simulation.advance(by: .milliseconds(1))
    expectEmpty(client.mutations())
    // Whoever follows keeps it.
    simulation.start(mutation, with: 2, on: client)
    let runs = simulation.record(client.runs(of: mutation))
    simulation.advance(by: .seconds(10))
    expectEqual(runs.runs().last?.text, "success 2 -> 102")
    runs.cancel()
    simulation.advance(by: .milliseconds(99))
    expectEqual(client.mutations().count, 1)
    simulation.advance(by: .milliseconds(1))
    expectEmpty(client.mutations())
  }

  // T68
  @Test func aHandleShowsItsOwnRunsAndAResetShowsNone() async throws {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
    let handle = client.observer(of: mutation)
    let runs = simulation.record(handle.runs)
    simulation.settle()
    simulation.start(mutation, with: 9, on: client)
    handle.start(with: 1)
    simulation.settle()
    expectEqual(summary(of: handle.run), "pending 1")
    // A new run detaches the old one, which goes on.
    handle.start(with: 2)
    simulation.settle()
    handle.reset()
    simulation.settle()
    expect(handle.run.isIdle)
    simulation.advance(by: .milliseconds(10))
    expect(handle.run.isIdle)
    expectEqual(client.mutations(.status(.success)).count, 3)
    try expectEqual(simulation.run { try await handle.mutate(3) }, 103)
    expectEqual(
      runs.runs().map(\.text),
      [
        "idle", "pending 1", "pending 2", "idle", "pending 3", "success 3 -> 103",
      ]
    )
  }

  // T68
  @Test func aHandleOutlivesTheConsumersOfItsStreams() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
    let handle = client.observer(of: mutation)
    let first = simulation.record(handle.runs)
    simulation.settle()
    handle.start(with: 1)
    simulation.settle()
    first.cancel()
    simulation.advance(by: .milliseconds(10))
    expectEqual(summary(of: handle.run), "success 1 -> 101")
    let second = simulation.record(handle.runs)
    let third = simulation.record(handle.runs)
    simulation.settle()
    handle.start(with: 2)
    simulation.advance(by: .milliseconds(10))
    let expected = ["success 1 -> 101", "pending 2", "success 2 -> 102"]
    expectEqual(second.runs().map(\.text), expected)
    expectEqual(third.runs().map(\.text), expected)
    client.shutDown()
    simulation.settle()
    expect(second.isFinished && third.isFinished)
  }

  // U04 law 10
  @Test func aCallerThatLeavesDuringTheCallbacksLeavesTheRunAsItIs() async {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    let calls = Notes<String>()
    client.setData(0, for: key)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      .onSuccess { output, context in
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        calls.add("onSuccess")
        context.client.setData(output, for: key)
      }
      .onSettled { _, _ in calls.add("onSettled") }
    let caller = simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .milliseconds(15))
    caller.cancel()
    simulation.settle()
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .milliseconds(10))
    expectEqual(calls.all, ["onSuccess", "onSettled"])
    expectEqual(summary(of: client.run(of: mutation)), "success 1 -> 101")
    expectEqual(client.data(for: key), 101)
    await #expect(throws: CancellationError.self) { try await caller.value }
  }

  // T61 T69
  @Test func runsAreFoundByKeyRecordStatusTypeAndPredicate() {
    let client = QueryClient(simulation: simulation)
    func mutation(_ key: AnyQueryKey) -> Mutation<Int, Int> {
      .slow(key, 10, simulation: simulation)
    }
    let upload = AnyQueryKey("upload", fields: ["album": 7, "kind": "photo"])
    simulation.start(mutation(upload), with: 1, on: client)
    simulation.start(mutation(["upload", "other"]), with: 2, on: client)
    simulation.advance(by: .milliseconds(10))
    simulation.start(mutation("save"), with: 3, on: client)
    func inputs(_ filter: MutationFilter) -> [Int] {
      client.mutations(filter).compactMap { $0.input as? Int }
    }
    expectEqual(inputs(.all), [1, 2, 3])
    expectEqual(inputs("upload"), [1, 2])
    expectEqual(inputs(["upload", "other"]), [2])
    expectEqual(inputs(.prefix("upload", fields: ["kind": "photo"])), [1])
    expectEqual(inputs(.prefix("upload", fields: ["kind": "film"])), [])
    expectEqual(inputs(.key("upload")), [])
    expectEqual(inputs(.key(upload)), [1])
    expectEqual(inputs(.pending), [3])
    expectEqual(inputs(.status(.success) && !.key(upload)), [2])
    expectEqual(inputs(.where { $0.output as? Int == 101 } || .pending), [1, 3])
    expectEqual(inputs(.mutation(mutation("save"))), [3])
    expectEqual(inputs(.mutation(Mutation<String, Int>(key: "save"))), [])
    expectEqual(client.mutations("save").first?.run(of: mutation("save"))?.input, 3)
    expectNil(client.mutations("save").first?.run(of: mutation("upload")))
    simulation.advance(by: .seconds(1))
  }

  // T69 F05
  @Test func listsAndCountsFollow() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", 10, simulation: simulation)
    let lists = simulation.record(client.runs(matching: .pending))
    let counts = simulation.record(client.mutatingCountStream("m"))
    simulation.settle()
    simulation.start(mutation, with: 1, on: client)
    simulation.start(.slow("other", 20, simulation: simulation), with: 2, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(lists.values.map { $0.map { $0.input as? Int } }, [[], [1], [1, 2], [2], []])
    expectEqual(counts.values, [0, 1, 0])
  }

  @Test func eventsTellEachStepOfARun() {
    let steps = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        if case .mutation = event.kind { steps.add("\(event)") }
      }
      $0.onMisuse = { _ in }
    }
    let mutation = Mutation("m") { (input: Int, context: MutationContext) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      if context.attempt == 0 { throw Boom() }
      return input
    }
    .retry(.times(1).backoff(.constant(.milliseconds(5))))
    .scope("s")
    .onSuccess { _, _ in throw Boom(2) }
    simulation.start(mutation, with: 1, on: client)
    let caller = simulation.start(mutation, with: 2, on: client)
    caller.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(
      steps.all,
      [
        "mutating [\"m\"] in 0.0 seconds", "performing (attempt 1) [\"m\"] in 0.0 seconds",
        "mutating [\"m\"] in 0.0 seconds", "mutation paused [\"m\"] in 0.0 seconds",
        "mutation cancelled [\"m\"] in 0.0 seconds",
        "mutation failed 1 times (boom 0), again after 0.005 seconds: [\"m\"] in 0.01 seconds",
        "performing (attempt 2) [\"m\"] in 0.015 seconds",
        "onSuccess failed (boom 2) [\"m\"] in 0.025 seconds",
        "mutated [\"m\"] in 0.025 seconds",
      ]
    )
  }

  @Test func valuesOfARunAreReleasedWithIt() {
    let client = QueryClient(simulation: simulation)
    let gone = Notes<Int>()
    func start() {
      let mutation = Mutation("m") { (input: Witness) in Witness { gone.add(2) } }
        .onMutate { _, _ in Witness { gone.add(3) } }
        .gcTime(.zero)
      _ = simulation.task { try await client.mutate(mutation, with: Witness { gone.add(1) }) }
    }
    start()
    simulation.advance(by: .seconds(1))
    expectEqual(gone.all.sorted(), [1, 2, 3])
    expectEmpty(client.mutations())
  }

  @Test func clearCallsNoFurtherCallbackOfARunThatSettles() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<String>()
    let mutation = Mutation<Int, Int>("m") { $0 }
      .onSuccess { _, _ in
        calls.add("first")
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      }
      .onSuccess { _, _ in calls.add("second") }
      .onSettled { _, context in
        calls.add("settled")
        context.client.setData(1, for: QueryKey<Int>("n"))
      }
    simulation.start(mutation, with: 1, on: client)
    expectEqual(calls.all, ["first"])
    client.clear()
    simulation.advance(by: .seconds(1))
    expectEqual(calls.all, ["first"])
    expectNil(client.data(for: QueryKey<Int>("n")))
  }
}
