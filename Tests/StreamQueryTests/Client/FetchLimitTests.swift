import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// Fetches of a client that runs only so many at a time.
struct FetchLimitTests {
  private let simulation = Simulation(seed: 11)
  private let log = Log()

  private final class Log: Sendable {
    private let state = Mutex((running: 0, most: 0, names: [String]()))

    /// What has begun, in order.
    var names: [String] { state.withLock { $0.names } }
    /// The most that ran at a time.
    var most: Int { state.withLock { $0.most } }

    func took(_ name: String) {
      state.withLock { state in
        state.names.append(name)
        state.running += 1
        state.most = max(state.most, state.running)
      }
    }

    func gave() { state.withLock { $0.running -= 1 } }

    /// A request that takes some time, and that is over as soon as it is cancelled.
    func request(_ name: String, _ duration: Duration) async throws {
      took(name)
      let isOver = Atomic(false)
      @Sendable func end() { if !isOver.exchange(true, ordering: .relaxed) { gave() } }
      defer { end() }
      try await withTaskCancellationHandler {
        try await Scheduling.current.clock.sleep(for: duration)
      } onCancel: {
        end()
      }
    }
  }

  private func client(
    _ limit: Int?,
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.maxConcurrentFetches = limit
      configure(&$0)
    }
  }

  /// A query whose fetch takes a second.
  private func query(_ name: String) -> Query<String> {
    Query(name) { [log] _ in
      try await log.request(name, .seconds(1))
      return name
    }
  }

  @discardableResult
  private func prefetch(_ name: String, with client: QueryClient) -> Task<Void, Never> {
    let query = query(name)
    return simulation.task { await client.prefetch(query) }
  }

  @Test func withoutALimitAllFetchAtOnce() {
    let client = client(nil)
    let streams = (0..<10).map { client.stream(query("\($0)")) }
    simulation.settle()
    expectEqual(log.most, 10)
    withExtendedLifetime(streams) {}
  }

  @Test func afterAReconnectAsManyFetchAsAreAllowed() {
    let online = ManualSignal(true)
    let client = client(4) { $0.connectivity = Connectivity { online } }
    let names = (0..<50).map { "\($0)" }
    let recordings = names.map { simulation.record(client.stream(query($0))) }
    simulation.advance(by: .seconds(20))
    // Those that begin together do so in any order.
    func fours(_ names: some Sequence<String>) -> [Set<String>] {
      let names = Array(names)
      return stride(from: 0, to: names.count, by: 4).map { Set(names[$0...].prefix(4)) }
    }
    expect(fours(log.names) == fours(names) && log.most == 4)
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.settle()
    // All show that they fetch; four do.
    expectEqual(log.names.count, 54)
    #expect(recordings.allSatisfy { $0.values.last?.isFetching == true })
    simulation.advance(by: .seconds(11))
    expectEqual(log.names.count, 98)
    simulation.advance(by: .seconds(2))
    expect(fours(log.names[50...]) == fours(names) && log.most == 4)
    #expect(recordings.allSatisfy { $0.values.last?.isFetching == false })
  }

  @Test func whatIsObservedComesBeforeWhatIsPrefetched() {
    let client = client(1)
    for name in ["a", "b", "c"] {
      prefetch(name, with: client)
      simulation.settle()
    }
    let visible = simulation.record(client.stream(query("visible")))
    // One that waits is looked at now.
    let shown = simulation.record(client.stream(query("c")))
    simulation.advance(by: .seconds(5))
    expect(log.names == ["a", "visible", "c", "b"] && log.most == 1)
    withExtendedLifetime((visible, shown)) {}
  }

  @Test func whatNobodyWaitsForComesLast() {
    let client = client(1)
    client.setData("old", for: query("unwanted"))
    prefetch("first", with: client)
    simulation.settle()
    let unwanted = query("unwanted")
    let old = simulation.run { try? await client.ensure(unwanted, revalidating: true) }
    prefetch("wanted", with: client)
    simulation.advance(by: .seconds(4))
    expect(old == "old" && log.names == ["first", "wanted", "unwanted"])
  }

  @Test func whatSomebodyBeginsToWaitForOvertakesWhatNobodyWaitsFor() {
    let client = client(1)
    let unwanted = [query("unwanted"), query("wanted")]
    for query in unwanted { client.setData("old", for: query) }
    prefetch("first", with: client)
    simulation.settle()
    for query in unwanted {
      _ = simulation.run { try? await client.ensure(query, revalidating: true) }
    }
    prefetch("wanted", with: client)
    simulation.advance(by: .seconds(4))
    expectEqual(log.names, ["first", "wanted", "unwanted"])
  }

  @Test func aFetchThatIsCancelledWhileItWaitsNeverBegins() {
    let client = client(1)
    let first = simulation.record(client.stream(query("first")))
    let second = prefetch("second", with: client)
    let third = simulation.record(client.stream(query("third")))
    simulation.settle()
    second.cancel()
    simulation.advance(by: .seconds(5))
    expectEqual(log.names, ["first", "third"])
    withExtendedLifetime((first, third)) {}
  }

  @Test func aCancelledFetchMakesRoomAtOnce() {
    let client = client(1)
    let first = prefetch("first", with: client)
    simulation.settle()
    let second = simulation.record(client.stream(query("second")))
    simulation.settle()
    expectEqual(log.names, ["first"])
    first.cancel()
    simulation.settle()
    expectEqual(log.names, ["first", "second"])
    withExtendedLifetime(second) {}
  }

  @Test func othersFetchWhileOneWaitsForItsNextAttempt() {
    struct Failure: Error {}
    let client = client(1)
    let log = log
    let failing = Query<Int>("failing") { context in
      log.took("failing \(context.attempt)")
      defer { log.gave() }
      if context.attempt < 1 { throw Failure() }
      return 1
    }
    .retry(3) { _ in .seconds(2) }
    let recordings = (
      simulation.record(client.stream(failing)), simulation.record(client.stream(query("other")))
    )
    simulation.advance(by: .seconds(4))
    expect(log.names == ["failing 0", "other", "failing 1"] && log.most == 1)
    expectEqual(recordings.0.values.map(\.failureCount), [0, 1, 0])
    expectEqual(recordings.0.values.map(\.data), [nil, nil, 1])
    #expect(recordings.1.summaries == [.pending(isFetching: true), .success("other")])
  }

  @Test("fetches that need each other do not wait for each other's room")
  func nestedFetches() {
    let client = client(1)
    let log = log
    func outer(_ name: String, _ inner: Query<String>) -> Query<String> {
      Query(name) { context in
        log.took(name)
        defer { log.gave() }
        return try await name + context.client.fetch(inner)
      }
    }
    let inner = query("inner")
    let outers = ["a", "b", "c"].map { outer($0, outer("middle", inner)) }
    let recordings = outers.map { simulation.record(client.stream($0)) }
    simulation.advance(by: .seconds(10))
    expectEqual(
      recordings.map { $0.values.last?.data },
      ["amiddleinner", "bmiddleinner", "cmiddleinner"]
    )
  }

  @Test("a fetch that waits for its turn has it when another fetch needs it")
  func aGuestThatHasWaited() {
    let client = client(1)
    let log = log
    let inner = query("inner")
    let outer = Query<String>("outer") { context in
      try await log.request("outer", .seconds(1))
      return try await "outer " + context.client.fetch(inner)
    }
    let first = simulation.record(client.stream(outer))
    simulation.settle()
    prefetch("other", with: client)
    simulation.settle()
    prefetch("inner", with: client)
    simulation.advance(by: .seconds(5))
    expect(log.names == ["outer", "inner", "other"] && log.most == 1)
    #expect(first.summaries == [.pending(isFetching: true), .success("outer inner")])
  }

  @Test("what a fetch once waited for takes its turn like any other, later")
  func aFormerGuest() {
    let client = client(1)
    let inner = query("inner")
    let outer = Query<String>("outer") { try await $0.client.fetch(inner) }
    simulation.run { await client.prefetch(outer) }
    expectEqual(log.names, ["inner"])
    prefetch("other", with: client)
    simulation.settle()
    let again = simulation.record(client.stream(inner))
    simulation.advance(by: .milliseconds(500))
    expectEqual(log.names, ["inner", "other"])
    simulation.advance(by: .seconds(2))
    expect(log.names == ["inner", "other", "inner"] && log.most == 1)
    withExtendedLifetime(again) {}
  }

  @Test("a task that a fetch has left behind fetches in its turn")
  func aTaskThatOutlivesItsFetch() {
    let client = client(1)
    let (late, simulation) = (query("late"), simulation)
    let parent = Query<String>("parent") { context in
      Task(executorPreference: simulation.executor) {
        try await Scheduling.current.clock.sleep(for: .seconds(1))
        return try await context.client.fetch(late)
      }
      return "parent"
    }
    simulation.run { await client.prefetch(parent) }
    simulation.advance(by: .milliseconds(500))
    prefetch("other", with: client)
    simulation.advance(by: .seconds(5))
    expect(log.names == ["other", "late"] && log.most == 1)
  }

  @Test("fetches that wait for one and the same are not all let in meanwhile")
  func aSharedToken() {
    let client = client(2)
    let token = query("token")
    let log = log
    let names = (0..<20).map { "\($0)" }
    let recordings = names.map { name in
      simulation.record(
        client.stream(
          Query(name) { context in
            let token = try await context.client.fetch(token)
            try await log.request(name, .seconds(1))
            return name + token
          }
        )
      )
    }
    simulation.advance(by: .seconds(1.5))
    expect(log.names.count == 3 && log.names[0] == "token" && log.most == 2)
    simulation.advance(by: .seconds(20))
    expectEqual(recordings.map { $0.values.last?.data }, names.map { $0 + "token" })
    expectEqual(log.most, 2)
  }

  @Test("what a fetch waits for is tried again in its room")
  func aGuestThatFails() {
    struct Failure: Error {}
    let client = client(1)
    let inner = Query<Int>("inner") { context in
      if context.attempt < 2 { throw Failure() }
      return context.attempt
    }
    .retry(3) { _ in .seconds(2) }
    let outer = Query<Int>("outer") { try await $0.client.fetch(inner) }
    let recordings = (
      simulation.record(client.stream(outer)), simulation.record(client.stream(query("other")))
    )
    simulation.advance(by: .seconds(30))
    #expect(recordings.0.summaries == [.pending(isFetching: true), .success(2)])
    #expect(
      recordings.1.timeline == [
        TimedSummary(at: .zero, .pending(isFetching: true)),
        TimedSummary(at: .seconds(5), .success("other")),
      ]
    )
  }

  @Test("what a fetch waits for is fetched in its room, also if it is replaced meanwhile")
  func aGuestThatIsReplaced() {
    let client = client(1)
    let log = log
    let inner = query("inner")
    client.setData("old", for: inner)
    let outer = Query<String>("outer") { context in
      log.took("outer")
      defer { log.gave() }
      return try await "outer " + context.client.fetch(inner)
    }
    let outerRecording = simulation.record(client.stream(outer))
    let other = simulation.record(client.stream(query("other")))
    simulation.advance(by: .milliseconds(500))
    simulation.task { await client.refetch(inner) }
    simulation.advance(by: .seconds(5))
    expectEqual(log.names, ["outer", "inner", "inner", "other"])
    #expect(
      outerRecording.timeline == [
        TimedSummary(at: .zero, .pending(isFetching: true)),
        TimedSummary(at: .milliseconds(1_500), .success("outer inner")),
      ]
    )
    withExtendedLifetime(other) {}
  }

  @Test func whatHasItsTurnWhileOfflineIsPaused() {
    let online = ManualSignal(true)
    let client = client(1) { $0.connectivity = Connectivity { online } }
    let first = simulation.record(client.stream(query("first")))
    let second = simulation.record(client.stream(query("second")))
    let local = simulation.record(client.stream(query("local").networkMode(.always)))
    simulation.settle()
    online.send(false)
    simulation.advance(by: .seconds(5))
    expectEqual(log.names, ["first", "local"])
    online.send(true)
    simulation.advance(by: .seconds(5))
    expectEqual(second.values.map(\.fetchStatus), [.fetching, .paused, .fetching, .idle])
    expectEqual(second.values.map(\.data), [nil, nil, nil, "second"])
    // The reconnect refetches what needs the network.
    let again: [ResultSummary<String>] = [.success("first", isFetching: true), .success("first")]
    #expect(first.summaries == [.pending(isFetching: true), .success("first")] + again)
    #expect(local.summaries == [.pending(isFetching: true), .success("local")])
    expectEqual(log.most, 1)
  }

  @Test("a fetch that has its turn after a success is not made again for that success")
  func aSuccessBeforeTheTurn() {
    let client = client(1)
    let visible = query("visible")
    client.setData("old", for: visible)
    prefetch("first", with: client)
    simulation.settle()
    let recording = simulation.record(client.stream(visible))
    let other = simulation.record(client.stream(query("other")))
    let rename = Mutation<String, String>("rename") { $0 }
      .optimistic { name, changes in changes.update(visible) { $0 = name } }
      .onSuccess { _, _ in try await Scheduling.current.clock.sleep(for: .seconds(10)) }
    simulation.start(rename, with: "new", on: client)
    expectEqual(client.result(for: visible).data, "new")
    simulation.advance(by: .seconds(5))
    // It has kept its place, too.
    expectEqual(log.names, ["first", "visible", "other"])
    expectEqual(recording.values.last?.data, "visible")
    // The old value never came back.
    #expect(!recording.values.drop { $0.data == "old" }.contains { $0.data == "old" })
    simulation.advance(by: .seconds(10))
    expectEqual(log.names.count, 3)
    withExtendedLifetime(other) {}
  }

  @Test("a retry that has its turn after a success is no first attempt")
  func aSuccessBeforeTheTurnOfARetry() {
    let client = client(1)
    let log = log
    let failing = Query<String>("failing") { _ in
      try await log.request("failing", .milliseconds(10))
      throw Boom()
    }.retry(1) { _ in .milliseconds(100) }
    client.setData("old", for: failing)
    let recording = simulation.record(client.stream(failing))
    simulation.advance(by: .milliseconds(50))
    prefetch("slow", with: client)
    // By now the retry waits for the other fetch.
    simulation.advance(by: .milliseconds(500))
    let rename = Mutation<String, String>("rename") { $0 }
      .optimistic { name, changes in changes.update(failing) { $0 = name } }
    simulation.start(rename, with: "new", on: client)
    simulation.advance(by: .seconds(5))
    expectEqual(log.names, ["failing", "slow", "failing"])
    expectEqual(recording.values.last?.isError, true)
    expectEqual(recording.values.last?.isFetching, false)
  }

  @Test func aFetchThatIsReplacedDoesNotOvertakeOthers() {
    let client = client(1)
    let log = log
    let slow = Query<String>("slow") { _ in
      try await log.request("slow", .seconds(1))
      return "slow"
    }
    client.setData("old", for: slow)
    let replaced = simulation.record(client.stream(slow))
    simulation.settle()
    let visible = simulation.record(client.stream(query("visible")))
    simulation.settle()
    simulation.task { await client.refetch(slow) }
    simulation.settle()
    expectEqual(log.names, ["slow", "visible"])
    simulation.advance(by: .seconds(5))
    expect(log.names == ["slow", "visible", "slow"] && log.most == 1)
    withExtendedLifetime((replaced, visible)) {}
  }

  @Test("a fetch that iterates another query leaves room for that")
  func streamsInsideFetches() {
    let client = client(1)
    let source = query("source")
    let derived = Query<String>("derived") { context in
      for await result in context.client.results(of: source) {
        if let data = result.data { return "derived from " + data }
      }
      throw CancellationError()
    }
    let recording = simulation.record(client.stream(derived))
    simulation.advance(by: .seconds(3))
    expectEqual(recording.values.last?.data, "derived from source")
  }

  @Test("a fetch that waits for a mutation leaves room for what that fetches")
  func mutationsInsideFetches() {
    let client = client(1)
    let inner = query("inner")
    let mutation = Mutation<Void, String>("m") { _, context in
      // Not the client itself: it keeps the run, and the run would keep it.
      try await context.client.fetch(inner)
    }
    let outer = Query<String>("outer") { context in
      try await context.client.mutate(mutation)
    }
    // The wait is that of a task that the fetch has started.
    let parallel = Query<String>("parallel") { context in
      async let inner = context.client.mutate(mutation)
      return try await "parallel " + inner
    }
    let recordings = [outer, parallel].map { simulation.record(client.stream($0)) }
    simulation.advance(by: .seconds(5))
    expectEqual(recordings.map { $0.values.last?.data }, ["inner", "parallel inner"])
  }

  @Test func aConnectionCountsUntilItsFirstElement() {
    let client = client(1)
    let feed = ManualSignal(0)
    let stream = Query<[Int]>.streamed("feed") { _ in feed }
    let connection = simulation.record(client.stream(stream))
    simulation.settle()
    let other = simulation.record(client.stream(query("other")))
    simulation.advance(by: .seconds(2))
    expectEqual(connection.values.last?.isFetching, true)
    expectEqual(other.values.last?.data, "other")
  }

  @Test(
    arguments: [
      { $0.clear() }, { $0.shutDown() }, { $0.cancel(.all) },
    ] as [@Sendable (QueryClient) -> Void]
  )
  func whatEndsAllBeginsNothing(_ end: @Sendable (QueryClient) -> Void) {
    let client = client(1)
    let recordings = (0..<5).map { simulation.record(client.stream(query("\($0)"))) }
    simulation.settle()
    end(client)
    simulation.advance(by: .seconds(10))
    expectEqual(log.names, ["0"])
    withExtendedLifetime(recordings) {}
  }

  @Test(
    "room is neither lost nor given twice, whatever happens",
    arguments: Seeds.few(4)
  )
  func anything(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let log = log
    let client = QueryClient(simulation: simulation) { $0.maxConcurrentFetches = 3 }
    func query(_ number: Int) -> Query<Int> {
      Query(key: QueryKey(number)) { _ in
        try await log.request("\(number)", .milliseconds(100 + number * 7))
        if number % 3 == 0 { throw CancellationError() }
        return number
      }
      .staleTime(.zero)
    }
    var random = SmallRandom(seed: seed)
    var tasks: [Task<Void, Never>] = []
    var recordings: [ResultRecording<QueryResult<Int>>] = []
    for _ in 0..<120 {
      let number = random.next(below: 12)
      switch random.next(below: 8) {
      case 0, 1: recordings.append(simulation.record(client.stream(query(number))))
      case 2: recordings = []
      case 3:
        let query = query(number)
        tasks.append(simulation.task { await client.prefetch(query) })
      case 4: tasks.popLast()?.cancel()
      case 5: client.cancel(query(number))
      case 6: client.remove(query(number))
      default: client.setData(1, for: query(number))
      }
      simulation.advance(by: .milliseconds(random.next(below: 90)))
    }
    #expect(log.most <= 3)
    recordings = []
    simulation.advance(by: .seconds(30))
    // As many as before still fetch at once.
    let last = (100..<110).map {
      simulation.record(client.stream(query($0 + ($0 % 3 == 0 ? 1 : 0))))
    }
    let before = log.names.count
    simulation.settle()
    expectEqual(log.names.count, before + 3)
    withExtendedLifetime(last) {}
  }
}
