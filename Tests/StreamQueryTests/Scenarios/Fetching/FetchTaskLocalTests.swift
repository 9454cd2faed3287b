import StreamQuery
import StreamQueryTesting
import Testing

/// Whose task-locals a fetch sees: of the caller whose transaction began it, whoever performs it.
struct FetchTaskLocalTests {
  let simulation = Simulation(seed: 61)
  let online = ManualSignal(true)
  let seen = Notes<String>()
  let intrusion = Intrusion()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation, online: online, intrusion: intrusion)
  }

  /// Notes whose context it runs in, and fails so many times.
  private func query(
    _ key: String = "n",
    failures: Int = 0,
    taking duration: Duration = .milliseconds(10)
  ) -> Query<Int> {
    Query(key) { [seen] (context: FetchContext) in
      seen.add("\(key) \(context.attempt) \(Caller.name)")
      try await Scheduling.current.clock.sleep(for: duration)
      seen.add("\(key) \(context.attempt) \(Caller.name)")
      if context.attempt < failures { throw Boom(context.attempt) }
      return 1
    }
    .retry(failures) { _ in .milliseconds(10) }
  }

  /// Observes from the middle of a stranger's call.
  private func observe<Value>(
    _ query: Query<Value>,
    as name: String
  ) -> ResultRecording<QueryResult<Value>>? {
    let recording = Dial<ResultRecording<QueryResult<Value>>?>(nil)
    intrusion.call(name, into: client) { [simulation, client] in
      recording.value = simulation.record(client.stream(query))
    }
    return recording.value
  }

  @Test func aFetchSeesItsCallersContextWhoeverPerformsIt() {
    let recording = observe(query(), as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 ada"])
    #expect(recording?.summaries.last == .success(1))
  }

  @Test func callersWhoAreAtItAtOnceEachSeeTheirOwn() {
    let client = client
    let queries = ["a", "b", "c"].map { query($0) }
    let streams = Notes<AsyncStream<QueryResult<Int>>>()
    intrusion.call("ada", into: client) {
      streams.add(client.stream(queries[0]))
      Caller.named("bob") { streams.add(client.stream(queries[1])) }
      streams.add(client.stream(queries[2]))
    }
    simulation.advance(by: .seconds(1))
    expectEqual(Set(seen.all), ["a 0 ada", "b 0 bob", "c 0 ada"])
  }

  @Test func retriesSeeWhatTheFirstAttemptSaw() {
    let recording = observe(query(failures: 2), as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 ada", "n 1 ada", "n 1 ada", "n 2 ada", "n 2 ada"])
    #expect(recording?.summaries.last == .success(1))
  }

  @Test func aFetchThatWaitedForTheNetworkSeesItsCallersContext() {
    online.send(false)
    simulation.settle()
    let query = query(failures: 1)
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.settle()
    expectEqual(seen.all, [])
    online.send(true)
    simulation.advance(by: .milliseconds(15))
    // The retry waits for the network as well.
    online.send(false)
    simulation.advance(by: .seconds(1))
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 ada", "n 1 ada", "n 1 ada"])
    #expect(recording.summaries.last == .success(1))
  }

  @Test func whoJoinsAFetchGetsWhatItsCallersContextBrought() {
    let client = client
    let query = Query(
      "who",
      fetch: { (_: FetchContext) -> String in
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return Caller.name
      }
    )
    let answers = Notes<String>()
    for name in ["ada", "bob"] {
      simulation.task(as: name) {
        let answer = try await client.fetch(query)
        answers.add("\(Caller.name) got \(answer)")
      }
      simulation.settle()
    }
    simulation.advance(by: .seconds(1))
    expectEqual(answers.all.sorted(), ["ada got ada", "bob got ada"])
  }

  @Test func pagesSeeTheContextOfWhoAskedForThem() {
    let client = client
    let feed = InfiniteQuery<String, Int>("feed", initialPageParam: 1) { [seen] page, _ in
      seen.add("\(page) \(Caller.name)")
      if page == 2, seen.all.filter({ $0.hasPrefix("2 ") }).count == 1 { throw Boom() }
      return "p\(page)"
    } nextPageParam: {
      $0.params.last.map { $0 + 1 }
    }
    .retry(1) { _ in .milliseconds(10) }
    let recording = observe(feed, as: "ada")
    simulation.advance(by: .seconds(1))
    simulation.task(as: "bob") { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: .seconds(1))
    simulation.task(as: "cleo") { await client.refetch(.query(feed)) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["1 ada", "2 bob", "2 bob", "1 cleo", "2 cleo"])
    expectEqual(recording?.values.last?.data?.pages, ["p1", "p2"])
  }

  @Test func theElementsOfAStreamedFetchSeeItsCallersContext() {
    let attempts = Dial(0)
    let query = Query<[String]>.streamed("s") { [seen] _ in
      let attempt = attempts.with { attempts in
        attempts += 1
        return attempts
      }
      seen.add("make \(Caller.name)")
      return Named(count: 2, isTorn: attempt == 1)
    }
    .retry(1) { _ in .milliseconds(10) }
    let recording = observe(query, as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["make ada", "make ada"])
    expectEqual(recording?.values.last?.data, ["ada 1", "ada 2"])
  }

  @Test func aFetchWithinAFetchSeesTheContextThatItWasCalledIn() {
    let inner = query("inner", failures: 1)
    let outer = Query("outer") { (context: FetchContext) in
      try await Caller.$name.withValue("\(Caller.name)'s fetch") {
        try await context.client.fetch(inner)
      }
    }
    let recording = observe(outer, as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(Set(seen.all), ["inner 0 ada's fetch", "inner 1 ada's fetch"])
    #expect(recording?.summaries.last == .success(1))
  }

  @Test(arguments: ["refetch", "invalidate", "reset"])
  func aFetchThatIsBegunByACallSeesThatCallersContext(by means: String) {
    let (client, query) = (client, query())
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.advance(by: .seconds(1))
    // The first is replaced while it runs, by another caller.
    for name in ["bob", "cleo"] {
      simulation.task(as: name) {
        switch means {
        case "refetch": await client.refetch(.query(query))
        case "invalidate": await client.invalidate(.query(query))
        default: await client.reset(.query(query))
        }
      }
      simulation.advance(by: .milliseconds(5))
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 ada", "n 0 bob", "n 0 cleo", "n 0 cleo"])
    #expect(recording.summaries.last == .success(1))
  }

  @Test func aWaitingFetchThatAMutationOutdatesStaysItsCallers() {
    let (client, query) = (client, query(failures: 1))
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.advance(by: .milliseconds(12))
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    simulation.task(as: "bob") { try await client.mutate(mutation, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 ada", "n 1 ada", "n 1 ada"])
    #expect(recording.summaries.last == .success(1))
  }

  @Test func aRunningFetchThatAMutationOutdatesIsRestartedInThatMutationsContext() {
    let (client, query) = (client, query(taking: .milliseconds(50)))
    let recording = Caller.named("ada") { simulation.record(client.stream(query)) }
    simulation.advance(by: .milliseconds(10))
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    simulation.task(as: "bob") { try await client.mutate(mutation, with: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["n 0 ada", "n 0 bob", "n 0 bob"])
    #expect(recording.summaries.last == .success(1))
  }

  // A layer reads what lies below it; a fetch that begins meanwhile is no layer.
  @Test func aFetchThatALayerBeginsReadsWhatIsShown() {
    let client = client
    let key = QueryKey<Int>("shown")
    client.setData(1, for: key)
    let read = Notes<Int?>()
    let streams = Notes<AsyncStream<QueryResult<Int>>>()
    let reader = Query("reader") { (context: FetchContext) -> Int in
      read.add(context.client.data(for: key))
      return 1
    }
    let mutation = Mutation<Int, Int>("m") { input in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      return input
    }
    .optimistic { _, changes in
      changes.update(key) { value in
        streams.add(client.stream(reader))
        value = 2
      }
    }
    simulation.start(mutation, with: 1, on: client)
    expectEqual(client.data(for: key), 2)
    simulation.settle()
    expectEqual(read.all.first, .some(2))
  }
}

/// Elements that say in whose context they were asked for.
private struct Named: AsyncSequence {
  typealias Element = String
  typealias Failure = any Error
  let count: Int
  let isTorn: Bool

  struct AsyncIterator: AsyncIteratorProtocol {
    var next = 1
    let count: Int
    let isTorn: Bool

    mutating func next() async throws -> String? {
      guard next <= count else { return nil }
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      if isTorn { throw Boom() }
      defer { next += 1 }
      return "\(Caller.name) \(next)"
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: count, isTorn: isTorn) }
}
