import StreamQuery
import StreamQueryTesting
import Testing

/// Fetches and runs that wait for each other in a circle: the wait that would close it is refused.
struct CircularWaitTests {
  let simulation = Simulation(seed: 23)

  private func makeClient() -> QueryClient {
    QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
  }

  /// What became of a call, as text.
  private func note(
    _ name: String,
    in notes: Notes<String>,
    _ call: @escaping @Sendable () async throws -> Int
  ) {
    simulation.task {
      do {
        notes.add("\(name) \(try await call())")
      } catch let error as QueryError {
        notes.add("\(name) \(error.kind)")
      } catch {
        notes.add("\(name) \(error)")
      }
    }
  }

  @Test func theWorkOfARunThatWasClearedAwayMayStartAnotherOfItsScope() {
    let client = makeClient()
    let notes = Notes<String>()
    let inner = Mutation<Int, Int>("inner") { (input: Int) in
      notes.add("inner \(input)")
      return input
    }
    .scope("s")
    let outer = Mutation<Int, Int>("outer") { (input: Int, context: MutationContext) in
      // Ends at once when the run is cleared away.
      try? await Scheduling.current.clock.sleep(for: .seconds(1))
      return try await context.client.mutate(inner, with: input, detached: true)
    }
    .scope("s")
    simulation.task { _ = try? await client.mutate(outer, with: 1) }
    simulation.settle()
    client.clear()
    simulation.advance(by: .seconds(2))
    expectEqual(notes.all, ["inner 1"])
    client.shutDown()
  }

  // MARK: Across clients

  @Test func aFetchThatWaitsForItselfThroughAnotherClientIsATypedError() {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let query = Query<Int>("a") { _ in
      let inner = Query<Int>("b") { _ in try await first.client.fetch(Query("a") { 1 }) }
      return try await second.client.fetch(inner)
    }
    #expect(throws: QueryError.recursiveFetch(key: "[\"a\"]")) {
      try simulation.run { try await one.fetch(query) }
    }
    expect(simulation.isIdle)
  }

  @Test(arguments: 1...5)
  func ofFetchesThatWaitForEachOtherInARingTheLastIsRefused(count: Int) {
    let clients = (0..<count).map { _ in makeClient() }
    let peers = clients.map(Peer.init)
    let notes = Notes<String>()
    for number in 0..<count {
      let next = peers[(number + 1) % count]
      let query = Query<Int>("n") { _ in
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return try await next.client.fetch(Query("n") { 0 })
      }
      note("\(number)", in: notes) { try await peers[number].client.fetch(query.retry(0)) }
    }
    simulation.advance(by: .seconds(1))
    // Whoever asks last learns it, and all that wait for it with it.
    expectEqual(notes.all.count, count)
    #expect(notes.all.allSatisfy { $0.hasSuffix("recursiveFetch") })
    expect(simulation.isIdle)
    withExtendedLifetime(clients) {}
  }

  @Test func onlyTheWaitThatClosesTheCircleIsRefused() {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let a = Query<Int>("a") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return try await second.client.fetch(Query("b") { 0 }) + 1
    }
    let b = Query<Int>("b") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return (try? await first.client.fetch(Query<Int>("a") { 0 })) ?? 40
    }
    note("a", in: notes) { try await first.client.fetch(a) }
    note("b", in: notes) { try await second.client.fetch(b) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["b 40", "a 41"])
    withExtendedLifetime((one, two)) {}
  }

  @Test(arguments: ["invalidate", "refetch", "handle", "prefetch"])
  func aBulkCallOfAnotherClientDoesNotWaitForItsCallersOwnFetch(_ means: String) {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let b = Query<Int>("b") { (context: FetchContext) in
      guard context.cause == .manual else { return 0 }
      let client = try first.client
      switch means {
      case "invalidate": await client.invalidate("a", refetch: .all)
      case "refetch": await client.refetch("a", superseding: false)
      case "prefetch": await client.prefetch(Query<Int>("a") { 0 })
      default:
        _ = try await client.observer(of: Query<Int>("a") { 0 }).refetch(superseding: false)
      }
      return 2
    }
    let a = Query<Int>("a") { _ in try await second.client.fetch(b) }
    note("a", in: notes) { try await first.client.fetch(a) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, [means == "handle" ? "a recursiveFetch" : "a 2"])
    expect(simulation.isIdle)
    withExtendedLifetime((one, two)) {}
  }

  @Test func aRunOfAnotherClientThatWaitsForTheCallersScopeIsRefused() {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let middle = Mutation("middle") { (input: Int) in
      try await first.client.mutate(inner, with: input)
    }
    let outer = Mutation("outer") { (input: Int) in
      try await second.client.mutate(middle, with: input)
    }.scope("s")
    note("outer", in: notes) { try await first.client.mutate(outer, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["outer recursiveMutation"])
    expectEqual(one.mutatingCount(), 0)
    expectEqual(two.mutatingCount(), 0)
  }

  // MARK: Through runs

  @Test func aRunThatWaitsForItsScopeThroughAFetchIsRefused() {
    let client = makeClient()
    let notes = Notes<String>()
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let query = Query<Int>("f") { (context: FetchContext) in
      try await context.client.mutate(inner, with: 1)
    }
    let outer = Mutation("outer") { (_: Int, context: MutationContext) in
      try await context.client.fetch(query)
    }.scope("s")
    note("outer", in: notes) { try await client.mutate(outer, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["outer recursiveMutation"])
    expectEqual(client.mutatingCount(), 0)
    expect(simulation.isIdle)
  }

  /// The first attempt is cancelled after 2 s, and returns after 4 s, beside the second one.
  @Test func aRunThatWaitsForItsScopeIsRefusedAlsoWhenALateAttemptHasReturned() {
    let client = makeClient()
    let notes = Notes<String>()
    let late = ScriptedFetch<Int>(.value(0, after: .seconds(4), ignoringCancellation: true))
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let outer = Mutation<Int, Int>("outer") { (input: Int, context: MutationContext) in
      guard context.attempt > 0 else { return try await late() }
      try await Scheduling.current.clock.sleep(for: .seconds(1.5))
      return try await context.client.mutate(inner, with: input)
    }
    .scope("s").timeout(.seconds(2)).retry(1)
    note("outer", in: notes) { try await client.mutate(outer, with: 1) }
    simulation.advance(by: .seconds(10))
    expectEqual(notes.all, ["outer recursiveMutation"])
    expectEqual(client.mutatingCount(), 0)
    expect(simulation.isIdle)
  }

  @Test func aFetchThatWaitsBehindARunIsNotAwaitedByThatRun() {
    let client = makeClient()
    let peer = Peer(client)
    let notes = Notes<String>()
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let query = Query<Int>("f") { (context: FetchContext) in
      try await context.client.mutate(inner, with: 1)
    }
    let outer = Mutation("outer") { (_: Int, context: MutationContext) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return try await context.client.fetch(query)
    }.scope("s")
    note("outer", in: notes) { try await peer.client.mutate(outer, with: 1) }
    simulation.advance(by: .milliseconds(10))
    note("fetch", in: notes) { try await peer.client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["outer recursiveFetch", "fetch 1"])
    expectEqual(client.mutatingCount(), 0)
  }

  @Test func aCallbackThatFetchesWhatWaitsForItsRunIsRefused() {
    let client = makeClient()
    let notes = Notes<String>()
    let save = Mutation("save") { (input: Int) in input }
      .onSuccess { _, context in
        do {
          _ = try await context.client.fetch(Query("f") { 0 })
        } catch let error as QueryError {
          notes.add("callback \(error.kind)")
        }
        await context.client.invalidate("f", refetch: .all)
        notes.add("invalidated")
      }
    let query = Query<Int>("f") { (context: FetchContext) in
      try await context.client.mutate(save, with: 3)
    }
    note("fetch", in: notes) { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["callback recursiveFetch", "invalidated", "fetch 3"])
    expect(simulation.isIdle)
  }

  // A run of one client, behind another in its lane, whose work waits for a fetch of a third client, which
  // waits for the lane of the first run.
  @Test func aCircleThroughThreeClientsAndTwoLanesIsRefused() {
    let clients = (0..<3).map { _ in makeClient() }
    let peers = clients.map(Peer.init)
    let notes = Notes<String>()
    let last = Mutation("last") { (input: Int) in input }.scope("s")
    let query = Query<Int>("f") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
      return try await peers[0].client.mutate(last, with: 9)
    }
    let ahead = Mutation("ahead") { (_: Int) in try await peers[2].client.fetch(query) }.scope("t")
    let behind = Mutation("behind") { (input: Int) in input }.scope("t")
    let first = Mutation("first") { (input: Int) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return try await peers[1].client.mutate(behind, with: input)
    }.scope("s")
    note("ahead", in: notes) { try await peers[1].client.mutate(ahead, with: 1) }
    note("first", in: notes) { try await peers[0].client.mutate(first, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["ahead recursiveMutation", "first 1"])
    #expect(clients.allSatisfy { $0.mutatingCount() == 0 })
  }

  @Test func aFetchThatResumesPausedRunsDoesNotWaitForThoseThatWaitForIt() {
    let client = makeClient()
    let notes = Notes<String>()
    let query = Query<Int>("f") { (context: FetchContext) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      await context.client.resumeMutations()
      return 1
    }
    let peer = Peer(client)
    let first = Mutation("first") { (_: Int, context: MutationContext) in
      try await context.client.fetch(query)
    }.scope("s")
    let second = Mutation("second") { (input: Int) in input }.scope("s")
    note("first", in: notes) { try await peer.client.mutate(first, with: 0) }
    simulation.settle()
    note("second", in: notes) { try await peer.client.mutate(second, with: 2) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.sorted(), ["first 1", "second 2"])
    withExtendedLifetime(client) {}
  }

  // MARK: No circle

  @Test func aMutationThatAFetchStartsAndForgetsWaitsItsTurn() {
    let client = makeClient()
    let notes = Notes<String>()
    let executor = simulation.executor
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let query = Query<Int>("f") { (context: FetchContext) in
      let client = context.client
      Task(executorPreference: executor) {
        notes.add("inner \((try? await client.mutate(inner, with: 5)) ?? 0)")
      }
      return 1
    }
    let outer = Mutation("outer") { (_: Int, context: MutationContext) in
      let value = try await context.client.fetch(query)
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return value
    }.scope("s")
    note("outer", in: notes) { try await client.mutate(outer, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.sorted(), ["inner 5", "outer 1"])
  }

  @Test func aChildTaskOfARunIsNotTakenForTheRun() {
    let client = makeClient()
    let notes = Notes<String>()
    let executor = simulation.executor
    let inner = Mutation("inner") { (input: Int) in input }.scope("s")
    let query = Query<Int>("f") { (context: FetchContext) in
      try await context.client.mutate(inner, with: 5)
    }
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      let client = context.client
      Task(executorPreference: executor) {
        notes.add("fetch \((try? await client.fetch(query)) ?? 0)")
      }
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return input
    }.scope("s")
    note("outer", in: notes) { try await client.mutate(outer, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.sorted(), ["fetch 5", "outer 1"])
  }

  @Test func aFetchThatTwoOthersAwaitWaitsForNeitherAndForAThird() {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let shared = Query<Int>("shared") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      for name in ["a", "b"] {
        do {
          _ = try await first.client.fetch(Query<Int>("k", name) { 0 })
        } catch let error as QueryError {
          notes.add("\(name) \(error.kind)")
        }
      }
      return try await first.client.fetch(Query("c") { 7 })
    }
    for name in ["a", "b"] {
      note(name, in: notes) {
        try await first.client.fetch(
          Query<Int>("k", name) { _ in try await second.client.fetch(shared) }
        )
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.prefix(2), ["a recursiveFetch", "b recursiveFetch"])
    expectEqual(notes.all.dropFirst(2).sorted(), ["a 7", "b 7"])
    withExtendedLifetime((one, two)) {}
  }

  @Test func aWaitThatEndedIsNoWait() {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let a = Query<Int>("a") { _ in
      let value = try await second.client.fetch(Query("b") { 1 })
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return value
    }
    note("a", in: notes) { try await first.client.fetch(a) }
    simulation.advance(by: .milliseconds(10))
    note("b", in: notes) {
      try await second.client.fetch(
        Query<Int>("b") { _ in try await first.client.fetch(Query("a") { 0 }) + 1 }
      )
    }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["a 1", "b 2"])
    withExtendedLifetime((one, two)) {}
  }

  /// A caller of a fetch that is replaced moves along, so that the new fetch cannot wait for it.
  @Test(arguments: [true, false])
  func aFetchThatTookThePlaceOfAnotherMayWaitForWhoLeftThatOne(_ leaves: Bool) {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let b = Query<Int>("b") { (context: FetchContext) in
      guard context.cause == .reset else {
        try await Scheduling.current.clock.sleep(for: .seconds(10))
        return 0
      }
      return try await first.client.fetch(Query("a") { 0 }) + 1
    }.retry(0)
    let a = Query<Int>("a") { _ in
      let limit: Duration = leaves ? .milliseconds(5) : .seconds(60)
      let value = (try? await second.client.fetch(b, timeout: limit)) ?? 5
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return value
    }
    let recording = simulation.record(two.stream(b))
    note("a", in: notes) { try await first.client.fetch(a) }
    simulation.advance(by: .milliseconds(10))
    simulation.task { try? await second.client.reset("b") }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["a 5"])
    expectEqual(recording.values.last?.data, leaves ? 6 : nil)
    expectEqual(recording.values.last?.isError, !leaves)
    recording.cancel()
    withExtendedLifetime((one, two)) {}
  }

  @Test(arguments: ["fetch", "invalidate", "fails fast"])
  func aWaiterThatWasCancelledWaitsForNothing(_ means: String) {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let executor = simulation.executor
    let failing = Query<Int>("failing") { (context: FetchContext) in
      if context.cause == .invalidated { throw Boom() }
      return 0
    }
    // It outlives the caller that leaves.
    let b = Query<Int>("b") { (context: FetchContext) in
      if context.cause == .subscribed, means != "fetch" { return 0 }
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return try await first.client.fetch(Query("a") { 0 }) + 1
    }.retry(0)
    let recordings = [
      simulation.record(two.stream(b)), simulation.record(two.stream(failing.retry(0))),
    ]
    if means != "fetch" { simulation.settle() }
    let a = Query<Int>("a") { _ in
      let client = try second.client
      let waiting = Task(executorPreference: executor) {
        switch means {
        case "fetch": _ = try await client.fetch(b)
        case "invalidate": await client.invalidate(.all)
        default: try await client.invalidate(.all, throwOnError: true)
        }
      }
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      if means != "fails fast" { waiting.cancel() }
      _ = await waiting.result
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
      return 3
    }
    note("a", in: notes) { try await first.client.fetch(a) }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["a 3"])
    expectEqual(recordings[0].values.last?.data, 4)
    for recording in recordings { recording.cancel() }
    withExtendedLifetime((one, two)) {}
  }

  @Test(arguments: ["return", "reset", "remove"])
  func whatOutlivesItsFetchWaitsForNobodysSake(_ means: String) {
    let (one, two) = (makeClient(), makeClient())
    let (first, second) = (Peer(one), Peer(two))
    let notes = Notes<String>()
    let executor = simulation.executor
    let b = Query<Int>("b") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return try await first.client.fetch(Query("a") { 10 }) + 1
    }
    let a = Query<Int>("a") { (context: FetchContext) in
      if context.cause == .reset { return 10 }
      let client = try second.client
      Task(executorPreference: executor) {
        notes.add("left behind \((try? await client.fetch(b)) ?? 0)")
      }
      if means == "return" {
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      } else {
        try await Scheduling.current.clock.sleep(for: .seconds(10))
      }
      return 1
    }
    note("a", in: notes) { try await first.client.fetch(a.staleTime(.zero)) }
    let recording = simulation.record(one.stream(a.refetchOnSubscribe(false)))
    simulation.advance(by: .milliseconds(10))
    if means == "reset" { simulation.task { try? await first.client.reset("a") } }
    if means == "remove" { one.remove("a") }
    simulation.advance(by: .seconds(1))
    #expect(notes.all.contains("left behind 11"))
    recording.cancel()
    withExtendedLifetime((one, two)) {}
  }
}

extension QueryError {
  /// The case, without the key.
  fileprivate var kind: String {
    switch self {
    case .recursiveFetch: "recursiveFetch"
    case .recursiveMutation: "recursiveMutation"
    default: description
    }
  }
}
