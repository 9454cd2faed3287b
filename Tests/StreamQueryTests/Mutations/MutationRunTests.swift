@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

struct MutationRunTests {
  let simulation = Simulation(seed: 3)
  let log = Notes<String>()

  private func client(
    online: ManualSignal<Bool>? = nil,
    active: ManualSignal<Bool>? = nil,
    misuse: Notes<QueryMisuse>? = nil
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      if let online { $0.connectivity = Connectivity { online } }
      if let active { $0.activity = AppActivity { active } }
      $0.onMisuse = { misuse?.add($0) }
    }
  }

  private func logging(_ mutation: Mutation<Int, Int>) -> Mutation<Int, Int> {
    let log = log
    let clock = simulation.clock
    return
      mutation
      .onMutate { input, _ in log.add("\(clock.now.offset.milliseconds) onMutate \(input)") }
      .onSuccess { output, context in
        log.add("\(clock.now.offset.milliseconds) onSuccess \(context.input) \(output)")
      }
      .onError { error, context in
        log.add("\(clock.now.offset.milliseconds) onError \(context.input) \(error)")
      }
      .onSettled { result, context in
        log.add("\(clock.now.offset.milliseconds) onSettled \(context.input) \(result)")
      }
  }

  // U01 U04
  @Test func theCallerGetsTheOutput() throws {
    let client = client()
    let output = try simulation.run {
      try await client.mutate(Mutation("m") { (input: Int) in "\(input)!" }, with: 7)
    }
    expectEqual(output, "7!")
    expect(simulation.isIdle)
  }

  /// Also where nobody follows the run, so that no snapshot of it is kept.
  @Test func snapshotsAreTheSameIfTheyShowTheSame() {
    let client = client()
    let mutation = Mutation<Int, Int>.slow(simulation: simulation)
    expect(client.run(of: mutation).isSame(as: .idle))
    simulation.start(mutation, with: 1, on: client)
    let pending = client.run(of: mutation)
    expect(pending.isSame(as: client.run(of: mutation)))
    expect(!pending.isSame(as: .idle))
    simulation.advance(by: .seconds(1))
    let ended = client.run(of: mutation)
    expect(ended.isSuccess && pending.isPending)
    expect(!pending.isSame(as: ended))
    expect(ended.isSame(as: client.run(of: mutation)))
  }

  // T63 U02
  @Test func callbacksRunInOrderBeforeTheCallerHears() throws {
    let client = client()
    let mutation = logging(.slow(simulation: simulation))
    let runs = simulation.record(client.runs(of: mutation))
    simulation.settle()
    let output = try simulation.run { try await client.mutate(mutation, with: 1) }
    expectEqual(output, 101)
    expectEqual(log.all, ["0 onMutate 1", "10 onSuccess 1 101", "10 onSettled 1 success(101)"])
    expectEqual(
      runs.runs(),
      [
        RunSummary(0, "idle"), RunSummary(0, "pending 1"), RunSummary(10, "success 1 -> 101"),
      ]
    )
  }

  // T63
  @Test func aFailureGoesToOnErrorAndTheCaller() {
    let client = client()
    let mutation = logging(
      Mutation("m") { (_: Int) -> Int in throw Boom(1) }
    )
    let runs = simulation.record(client.runs(of: mutation))
    #expect(throws: Boom(1)) { try simulation.run { try await client.mutate(mutation, with: 1) } }
    expectEqual(log.all, ["0 onMutate 1", "0 onError 1 boom 1", "0 onSettled 1 failure(boom 1)"])
    expectEqual(runs.runs().last, RunSummary(0, "error 1 [boom 1] !1"))
  }

  // T63
  @Test func theRunIsPendingWhileItsCallbacksRun() throws {
    let client = client()
    let wait: @Sendable (Int) async throws -> Void = {
      try await Scheduling.current.clock.sleep(for: .milliseconds($0))
    }
    let mutation = Mutation<Int, Int>.slow(simulation: simulation)
      .onMutate { _, _ in try await wait(7) }
      .onSuccess { _, _ in try await wait(20) }
      .onSettled { _, _ in try await wait(30) }
    let runs = simulation.record(client.runs(of: mutation))
    simulation.settle()
    _ = try simulation.run { try await client.mutate(mutation, with: 1) }
    expectEqual(simulation.now, .milliseconds(67))
    expectEqual(runs.runs().map(\.time), [0, 0, 67])
  }

  // T63
  @Test func anErrorInACallbackIsToldAndChangesNothing() throws {
    let misuse = Notes<QueryMisuse>()
    let client = client(misuse: misuse)
    let good = Mutation("good") { (input: Int) in input }
      .onSuccess { _, _ in throw Boom(1) }
      .onSettled { _, _ in throw Boom(2) }
    let bad = Mutation("bad") { (_: Int) -> Int in throw Boom(3) }
      .onError { _, _ in throw Boom(4) }
    try expectEqual(simulation.run { try await client.mutate(logging(good), with: 1) }, 1)
    #expect(throws: Boom(3)) {
      try simulation.run { try await client.mutate(logging(bad), with: 1) }
    }
    // The callbacks after one that threw are called all the same.
    expectEqual(
      log.all.map { $0.dropFirst(2) },
      [
        "onMutate 1", "onSuccess 1 1", "onSettled 1 success(1)",
        "onMutate 1", "onError 1 boom 3", "onSettled 1 failure(boom 3)",
      ]
    )
    expectEqual(
      misuse.all,
      [
        .callbackFailed(key: "[\"good\"]", callback: "onSuccess", error: "boom 1"),
        .callbackFailed(key: "[\"good\"]", callback: "onSettled", error: "boom 2"),
        .callbackFailed(key: "[\"bad\"]", callback: "onError", error: "boom 4"),
      ]
    )
  }

  // T63
  @Test func nothingIsPerformedWhenOnMutateThrows() {
    let client = client()
    let notes = log
    let mutation = Mutation("m") { (input: Int) in
      notes.add("performed")
      return input
    }.onMutate { _, _ in throw Boom(9) }
    let failing = logging(mutation)
    #expect(throws: Boom(9)) { try simulation.run { try await client.mutate(failing, with: 1) } }
    expectEqual(log.all, ["0 onError 1 boom 9", "0 onSettled 1 failure(boom 9)"])
    expectEqual(summary(of: client.run(of: mutation)), "error 1 [boom 9] !1")
  }

  // T63
  @Test func whatOnMutateReturnsIsReadByType() throws {
    struct Before: Sendable { var users: [String] }
    let client = client()
    client.setData(["ada"], for: QueryKey<[String]>("users"))
    let mutation = Mutation("add") { (_: String) -> Int in throw Boom() }
      .onMutate { input, context in
        let users = context.client.data(for: QueryKey<[String]>("users")) ?? []
        context.client.setData(users + [input], for: QueryKey<[String]>("users"))
        return Before(users: users)
      }
      .onMutate { _, _ in 7 }
      .onError { _, context in
        expectEqual(context.saved(as: Int.self), 7)
        expectNil(context.saved(as: String.self))
        guard let before = context.saved(as: Before.self) else { return }
        context.client.setData(before.users, for: QueryKey<[String]>("users"))
      }
    _ = simulation.start(mutation, with: "bob", on: client)
    simulation.settle()
    expectEqual(client.data(for: QueryKey<[String]>("users")), ["ada"])
    expectEqual(client.run(of: mutation).saved(as: Int.self), 7)
  }

  @Test func whatOnMutateReturnsIsANewSnapshotAndChangesNoOldOne() {
    let client = client()
    let wait: @Sendable (Int) async throws -> Void = {
      try await Scheduling.current.clock.sleep(for: .milliseconds($0))
    }
    let mutation = Mutation("m") { (input: Int) -> Int in
      try await wait(10)
      throw Boom()
    }
    .onMutate { _, _ -> Int in
      try await wait(10)
      return 7
    }
    .onMutate { _, _ in try await wait(10) }
    .onMutate { _, _ -> String in
      try await wait(10)
      return "x"
    }
    let handle = client.observer(of: mutation)
    let runs = simulation.record(handle.runs)
    let others = simulation.record(client.runs(of: mutation))
    simulation.settle()
    handle.start(with: 1)
    simulation.advance(by: .seconds(1))
    for recording in [runs, others] {
      let seen = recording.elements.map { stamped in
        let run = stamped.element
        let number = run.saved(as: Int.self).map(String.init) ?? "-"
        let text = run.saved(as: String.self) ?? "-"
        return RunSummary(stamped.time.milliseconds, "\(run.status) \(number) \(text)")
      }
      expectEqual(
        seen,
        [
          RunSummary(0, "idle - -"), RunSummary(0, "pending - -"), RunSummary(10, "pending 7 -"),
          RunSummary(30, "pending 7 x"), RunSummary(40, "error 7 x"),
        ]
      )
    }
  }

  @Test func whatOnMutateReturnedIsShownIfALaterOneThrows() {
    let client = client()
    let mutation = Mutation("m") { (input: Int) in input }
      .onMutate { _, _ in 7 }
      .onMutate { _, _ in throw Boom() }
    simulation.start(mutation, with: 1, on: client)
    expect(client.run(of: mutation).isError)
    expectEqual(client.run(of: mutation).saved(as: Int.self), 7)
  }

  // T65
  @Test func retriesOnlyWhenAskedTo() throws {
    let client = client()
    let calls = Notes<Int>()
    let mutation = Mutation("m") { (input: Int, context: MutationContext) in
      calls.add(context.attempt)
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      guard calls.count > 2 else { throw Boom(calls.count) }
      return input
    }
    #expect(throws: Boom(1)) { try simulation.run { try await client.mutate(mutation, with: 1) } }
    let retrying = mutation.retry(.times(2).backoff(.constant(.milliseconds(30))))
    let runs = simulation.record(client.runs(of: retrying))
    simulation.settle()
    try expectEqual(simulation.run { try await client.mutate(retrying, with: 5) }, 5)
    expectEqual(calls.all, [0, 0, 1])
    expectEqual(
      runs.runs(),
      [
        RunSummary(10, "error 1 [boom 1] !1"), RunSummary(10, "pending 5"),
        RunSummary(20, "pending 5 !1"), RunSummary(60, "success 5 -> 5"),
      ]
    )
  }

  // T66
  @Test func runsOfOneScopePerformOneAfterTheOther() {
    let client = client()
    let first = Mutation<Int, Int>.slow("a", 20, notes: log, simulation: simulation).scope("s")
    let second = Mutation<Int, Int>.slow("b", 20, notes: log, simulation: simulation).scope("s")
      .onMutate { [log] input, _ in log.add("onMutate \(input)") }
    let other = Mutation<Int, Int>.slow("c", 5, notes: log, simulation: simulation).scope("t")
    let waiting = simulation.record(client.runs(of: second))
    simulation.start(first, with: 1, on: client)
    simulation.advance(by: .milliseconds(1))
    simulation.start(second, with: 2, on: client)
    simulation.start(other, with: 3, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(
      log.all,
      [
        "0 start 1", "onMutate 2", "1 start 3", "6 end 3", "20 end 1", "20 start 2", "40 end 2",
      ]
    )
    expectEqual(
      waiting.runs(),
      [
        RunSummary(0, "idle"), RunSummary(1, "pending 2 paused"), RunSummary(20, "pending 2"),
        RunSummary(40, "success 2 -> 102"),
      ]
    )
  }

  // T66
  @Test func aFailureOrARetryHoldsTheLaneUpOnlyUntilItsEnd() {
    let client = client()
    let failing = Mutation("f") { [log, simulation] (input: Int) -> Int in
      log.add("\(simulation.now.milliseconds) try \(input)")
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      throw Boom()
    }.retry(.times(1).backoff(.constant(.milliseconds(50)))).scope("s")
    let next = Mutation<Int, Int>.slow("n", 10, notes: log, simulation: simulation).scope("s")
    simulation.start(failing, with: 1, on: client)
    simulation.start(next, with: 2, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, ["0 try 1", "60 try 1", "70 start 2", "80 end 2"])
  }

  // T70
  @Test func pausedRunsResumeInOrderWhenTheNetworkIsBack() {
    let online = ManualSignal(false)
    let client = client(online: online)
    let mutation = Mutation<Int, Int>.slow(notes: log, simulation: simulation)
    simulation.settle()
    let runs = simulation.record(client.runs(of: mutation))
    simulation.settle()
    for input in 1...3 { simulation.start(mutation, with: input, on: client) }
    simulation.advance(by: .milliseconds(50))
    expectEqual(client.mutations(.paused).count, 3)
    online.send(true)
    simulation.advance(by: .seconds(1))
    // Which of their tasks runs first is up to the executor; a scope keeps an order for good.
    expectEqual(log.all.prefix(3).sorted(), ["50 start 1", "50 start 2", "50 start 3"])
    expectEqual(log.all.suffix(3).sorted(), ["60 end 1", "60 end 2", "60 end 3"])
    expectEqual(
      runs.runs(),
      [
        RunSummary(0, "idle"), RunSummary(0, "pending 1 paused"),
        RunSummary(0, "pending 2 paused"), RunSummary(0, "pending 3 paused"),
        RunSummary(50, "pending 3"), RunSummary(60, "success 3 -> 103"),
      ]
    )
  }

  // T65 T70
  @Test func theNetworkModeDecidesWhatPauses() {
    let online = ManualSignal(false)
    let client = client(online: online)
    simulation.settle()
    let tries = Notes<String>()
    for (name, mode) in [
      ("online", NetworkMode.online), ("first", .offlineFirst), ("always", .always),
    ] {
      let mutation = Mutation(name) { [clock = simulation.clock] (input: Int) -> Int in
        tries.add("\(clock.now.offset.milliseconds) \(name)")
        throw Boom()
      }.networkMode(mode).retry(.times(1).backoff(.constant(.milliseconds(10))))
      simulation.start(mutation, with: 1, on: client)
    }
    simulation.advance(by: .milliseconds(50))
    online.send(true)
    simulation.advance(by: .milliseconds(50))
    expectEqual(
      tries.all,
      [
        "0 first", "0 always", "10 always", "50 online", "50 first", "60 online",
      ]
    )
  }

  // T35
  @Test func aReconnectResumesMutationsFirstAndRefetchesWhenTheyAreOver() {
    let online = ManualSignal(false)
    let client = client(online: online)
    simulation.settle()
    client.setData("seed", for: QueryKey<String>("a"))
    let fetches = Notes<Int>()
    let query = Query<String>("a") { [clock = simulation.clock] in
      fetches.add(clock.now.offset.milliseconds)
      return "fetched"
    }.networkMode(.always).refetchOnReconnect(.ifStale).refetchOnSubscribe(.never)
    let recording = simulation.record(client.stream(query))
    let mutation = Mutation<Int, Int>.slow("m", 100, simulation: simulation).scope("s")
    simulation.start(mutation, with: 1, on: client)
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .milliseconds(50))
    online.send(true)
    simulation.advance(by: .seconds(1))
    // Both were paused: the second one waits behind the first.
    expectEqual(fetches.all, [250])
    #expect(recording.summaries.last == .success("fetched"))
  }

  // T35 T66
  @Test func aResumedRunThatWaitsForALaneHoldsUpNoFetchThatTheLaneNeeds() throws {
    let online = ManualSignal(false)
    let client = client(online: online)
    simulation.settle()
    let query = Query<Int>("a") { 5 }
    let first = Mutation("first") { (input: Int, context: MutationContext) in
      try await context.client.fetch(query) + input
    }.scope("s").networkMode(.always)
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let middle = Mutation("middle") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }
    let second = Mutation("second") { (input: Int, context: MutationContext) in
      try await context.client.mutate(middle, with: input)
    }
    // One performs, and waits for the network in a fetch; the other is paused.
    simulation.start(first, with: 1, on: client)
    simulation.start(second, with: 2, on: client)
    expectEqual(client.mutations().map(\.isPaused), [false, true])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
    expectEqual(client.run(of: first).output, 6)
    expectEqual(client.run(of: second).output, 2)
  }

  // T35
  @Test func whoAsksDuringAReconnectDoesNotWaitForTheMutations() throws {
    let online = ManualSignal(false)
    let client = client(online: online)
    simulation.settle()
    let query = Query<Int>("a") { 5 }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(recording.summaries == [.pending(.paused)])
    // The work itself needs what the reconnect would fetch after it.
    let mutation = Mutation("m") { (input: Int, context: MutationContext) in
      try await context.client.fetch(query) + input
    }
    let caller = simulation.start(mutation, with: 1, on: client)
    online.send(true)
    simulation.settle()
    try expectEqual(simulation.run { try await caller.value }, 6)
    #expect(recording.summaries.last == .success(5))
  }

  // T35
  @Test func aRefetchThatWaitsForMutationsComesAlsoIfTheNetworkGoesAgain() {
    let online = ManualSignal(false)
    let client = client(online: online)
    simulation.settle()
    client.setData(0, for: QueryKey<Int>("a"))
    let fetches = Notes<Int>()
    let query = Query<Int>("a") { [clock = simulation.clock] in
      fetches.add(clock.now.offset.milliseconds)
      return 1
    }.networkMode(.always).refetchOnReconnect(.always).refetchOnSubscribe(.never)
    let recording = simulation.record(client.stream(query))
    simulation.start(.slow("m", 100, simulation: simulation), with: 1, on: client)
    online.send(true)
    simulation.advance(by: .milliseconds(50))
    online.send(false)
    simulation.advance(by: .milliseconds(100))
    expectEqual(fetches.all, [100])
    online.send(true)
    simulation.advance(by: .milliseconds(100))
    expectEqual(fetches.all, [100, 150])
    withExtendedLifetime(recording) {}
  }

  // T62
  @Test func aMutationWithoutWorkFails() {
    let client = client()
    let mutation = Mutation<Int, Int>(key: "m")
    #expect(throws: QueryError.missingPerform(key: "[\"m\"]")) {
      try simulation.run { try await client.mutate(mutation.retry(3), with: 1) }
    }
    expectEqual(simulation.now, .zero)
  }

  // T54
  @Test func defaultsComeByPrefixAndTheMutationWins() throws {
    let client = client()
    enum Kind: QueryMetaKey { static let defaultValue = "none" }
    var meta = QueryMeta()
    meta[Kind.self] = "save"
    client.setMutationDefaults(
      MutationOptions(retry: 1, meta: meta),
      for: "save",
      perform: { input, context in
        guard let number = input as? Int else { throw Boom() }
        return "\(number) \(context.meta[Kind.self])"
      }
    )
    client.setMutationDefaults(MutationOptions(scope: "notes"), for: ["save", "note"])
    let mutation = Mutation<Int, String>(key: ["save", "note"])
    try expectEqual(simulation.run { try await client.mutate(mutation, with: 4) }, "4 save")
    expectEqual(client.mutations().map(\.scope), ["notes"])
    expectEqual(client.mutationDefaults(for: ["save", "note"]).scope, "notes")
    expectNil(client.mutationDefaults(for: "other").retry)
    // A default work of another type than the mutation's is an error that says so.
    let wrong = Mutation<Int, [Int]>(key: "save")
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.mutate(wrong, with: 4) }
    }
  }

  // T63
  @Test func hooksOfTheClientRunBeforeTheMutationsOwn() throws {
    let log = log
    let client = QueryClient(simulation: simulation) {
      $0.mutationHooks = MutationHooks(
        onMutate: { info, _ in log.add("client onMutate \(info.input)") },
        onSuccess: { output, info, _ in log.add("client onSuccess \(output)") },
        onError: { error, info, _ in log.add("client onError \(error)") },
        onSettled: { _, info, _ in log.add("client onSettled \(info.key)") }
      )
    }
    let mutation = logging(
      Mutation("m") { (input: Int) in
        if input < 0 { throw Boom() }
        return input
      }
    )
    _ = try simulation.run { try await client.mutate(mutation, with: 1) }
    #expect(throws: Boom()) { try simulation.run { try await client.mutate(mutation, with: -1) } }
    expectEqual(
      log.all,
      [
        "client onMutate 1", "0 onMutate 1", "client onSuccess 1", "0 onSuccess 1 1",
        "client onSettled [\"m\"]", "0 onSettled 1 success(1)",
        "client onMutate -1", "0 onMutate -1", "client onError boom 0", "0 onError -1 boom 0",
        "client onSettled [\"m\"]", "0 onSettled -1 failure(boom 0)",
      ]
    )
  }

  // T63
  @Test func hooksPrepareNoRunThatIsCancelledBeforeItBeginsButHearOfItsEnd() {
    let log = log
    let client = QueryClient(simulation: simulation) {
      $0.mutationHooks = MutationHooks(
        onMutate: { _, _ in log.add("onMutate") },
        onError: { error, _, _ in log.add("onError \(error is CancellationError)") },
        onSettled: { result, _, _ in
          log.add("onSettled \((try? result.get()) == nil ? "without output" : "with output")")
        }
      )
    }
    let observer = client.observer(of: Mutation("m") { (input: Int) in input })
    observer.start(with: 1)
    client.cancelMutations()
    simulation.settle()
    expectEqual(log.all, ["onError true", "onSettled without output"])
  }
}
