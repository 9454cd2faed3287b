import CoreMetrics
import Logging
import MetricsTestKit
import StreamQuery
import StreamQueryServer
import StreamQueryTesting
import Synchronization
import Testing

/// What happens in a cache is counted and measured.
struct QueryMetricsTests {
  let simulation = Simulation(seed: 5)
  let metrics = TestMetrics()

  private func client(
    named name: (@Sendable (AnyQueryKey) -> String?)? = nil,
    configured configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) { [metrics] in
      configure(&$0)
      $0.measure(
        with: QueryMetrics(
          prefix: "test",
          dimensions: [("machine", "a")],
          factory: metrics,
          named: name
        )
      )
    }
  }

  /// The totals of all counters that are not zero.
  private var totals: [String: Int64] {
    var totals: [String: Int64] = [:]
    for counter in metrics.counters where counter.totalValue != 0 {
      let own = counter.dimensions.filter { $0.0 != "machine" }.map { " \($0.0)=\($0.1)" }
      totals[counter.label + own.joined()] = counter.totalValue
      #expect(counter.dimensions.contains { $0 == ("machine", "a") })
    }
    return totals
  }

  private func durations(_ label: String, _ outcome: String) -> [Int64] {
    metrics.timers(label: label, dimensions: [("outcome", outcome)]).flatMap(\.values)
  }

  private func level(_ label: String) -> Double {
    metrics.meters(label: label).compactMap(\.lastValue).reduce(0, +)
  }

  private func query(_ part: String = "n") -> Query<Int> {
    Query(part) { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(250))
      return 1
    }
  }

  @Test func hitsMissesJoinsAndStaleAnswersAreCounted() {
    let client = client()
    let query = query().staleTime(.minutes(1))
    for _ in 1...3 { simulation.task { try await client.fetch(query) } }
    simulation.settle()
    #expect(level("test.fetching") == 1)
    simulation.advance(by: .seconds(1))
    _ = try? simulation.run { try await client.fetch(query) }
    simulation.advance(by: .minutes(2))
    _ = try? simulation.run { try await client.ensure(query) }
    #expect(
      totals == [
        "test.lookups result=miss": 1, "test.lookups result=joined": 2,
        "test.lookups result=hit": 1, "test.lookups result=staleHit": 1,
        "test.fetches outcome=succeeded": 1,
      ]
    )
    #expect(durations("test.fetch.duration", "succeeded") == [250_000_000])
    #expect(level("test.fetching") == 0)
    #expect(level("test.entries") == 1)
  }

  @Test func hitsAreExactAlsoIfTheyPassTheLock() {
    // The log writes no lookups, and traces have none.
    let client = client(
      named: { $0.description.contains("user") ? "user" : nil },
      configured: {
        $0.readShards = 4
        $0.log(to: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        $0.trace()
      }
    )
    let queries = ["user", "rate"].map { query($0).staleTime(.minutes(1)) }
    for _ in 1...10 {
      for query in queries { _ = try? simulation.run { try await client.fetch(query) } }
    }
    simulation.advance(by: .seconds(1))
    let counts =
      [
        "test.lookups query=user result=miss": 1, "test.lookups query=user result=hit": 9,
        "test.fetches query=user outcome=succeeded": 1, "test.lookups result=miss": 1,
        "test.lookups result=hit": 9, "test.fetches outcome=succeeded": 1,
      ] as [String: Int64]
    #expect(totals == counts)
    // What comes last is told at the end, with the entries.
    _ = try? simulation.run { try await client.fetch(queries[0]) }
    #expect(totals == counts)
    client.shutDown()
    #expect(totals["test.lookups query=user result=hit"] == 10)
    #expect(client.lookups.hits == 19)
    #expect(level("test.entries") == 0)
  }

  @Test func failuresRetriesAndCancellationsAreCounted() {
    let client = client()
    let failing = Query<Int>("failing") { throw Outage() }.retry(2) { _ in .seconds(1) }
    _ = try? simulation.run { try await client.fetch(failing) }
    let query = query()
    let task = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(100))
    task.cancel()
    simulation.advance(by: .seconds(1))
    #expect(
      totals == [
        "test.lookups result=miss": 2, "test.fetch.retries": 2,
        "test.fetches outcome=failed": 1, "test.fetches outcome=cancelled": 1,
      ]
    )
    #expect(durations("test.fetch.duration", "failed") == [2_000_000_000])
    #expect(durations("test.fetch.duration", "cancelled") == [100_000_000])
    #expect(level("test.fetching") == 0)
  }

  @Test func removalsAreCountedByReason() {
    let client = client(configured: { $0.limit = CacheLimit(maxEntries: 2) })
    for number in 1...5 { client.setData(number, for: QueryKey("number", number)) }
    simulation.settle()
    #expect(level("test.entries") == 2)
    client.clear()
    #expect(totals == ["test.removals reason=evicted": 3, "test.removals reason=cleared": 2])
    #expect(level("test.entries") == 0)
  }

  @Test func mutationsAreCountedAndMeasured() {
    let client = client()
    let mutation = Mutation<Int, Int>("save") { number in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      if number == 0 { throw Outage() }
      return number
    }
    for number in 0...2 {
      _ = try? simulation.run { try await client.mutate(mutation, with: number) }
    }
    #expect(
      totals == ["test.mutations outcome=succeeded": 2, "test.mutations outcome=failed": 1]
    )
    #expect(
      durations("test.mutation.duration", "succeeded") == [1_000_000_000, 1_000_000_000]
    )
  }

  @Test func queriesAreCountedByName() {
    let client = client(named: { $0.description.contains("user") ? "user" : nil })
    for part in ["user", "user", "rate"] {
      let query = query(part).staleTime(.minutes(1))
      _ = try? simulation.run { try await client.fetch(query) }
    }
    #expect(
      totals == [
        "test.lookups query=user result=miss": 1, "test.lookups query=user result=hit": 1,
        "test.fetches query=user outcome=succeeded": 1,
        "test.lookups result=miss": 1, "test.fetches outcome=succeeded": 1,
      ]
    )
  }

  @Test func namesFromTheNetworkAreBounded() {
    let client = client(named: { $0.description })
    for number in 1...500 { client.setData(number, for: QueryKey("number", number)) }
    let names = Set(
      metrics.meters(label: "test.entries").flatMap { $0.dimensions.filter { $0.0 == "query" } }
        .map(\.1)
    )
    #expect(names.count == QueryMetrics.maximumNames + 1)
    #expect(names.contains("other"))
    #expect(level("test.entries") == 500)
  }

  @Test func namesThatComeAtTheSameTimeAreBounded() throws {
    let factory = CountingFactory(metrics)
    let queries = QueryMetrics(prefix: "test", factory: factory, named: { $0.description })
    for number in 1..<QueryMetrics.maximumNames { queries.record(hits: 1, of: ["number", number]) }
    // While the metrics of one name are made, another name comes, as from another thread.
    factory.meanwhile.withLock { $0 = { queries.record(hits: 1, of: ["second"]) } }
    queries.record(hits: 1, of: ["first"])
    let names = Set(
      metrics.counters.flatMap { $0.dimensions.filter { $0.0 == "query" } }.map(\.1)
    )
    #expect(names.count == QueryMetrics.maximumNames + 1)
    #expect(names.contains("other"))
    let total = metrics.counters.map(\.totalValue).reduce(0, +)
    #expect(total == Int64(QueryMetrics.maximumNames + 1))
  }

  @Test func anEventOfANameBeyondTheBoundMakesNoMetrics() {
    let factory = CountingFactory(metrics)
    let client = QueryClient(simulation: simulation) {
      $0.measure(
        with: QueryMetrics(prefix: "test", factory: factory, named: { $0.description })
      )
    }
    for number in 0...QueryMetrics.maximumNames {
      client.setData(number, for: QueryKey("number", number))
    }
    simulation.settle()
    let made = factory.count.load(ordering: .relaxed)
    for number in 1...100 { client.setData(number, for: QueryKey("more", number)) }
    simulation.settle()
    #expect(factory.count.load(ordering: .relaxed) == made)
    #expect(level("test.entries") == Double(QueryMetrics.maximumNames + 101))
    client.shutDown()
  }

  // Whatever happens to fetches and entries, in whichever order, the meters come out right.
  @Test(arguments: UInt64(1)...40) func theMetersAgreeWithTheCache(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let online = ManualSignal(true)
    let metrics = TestMetrics()
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.measure(with: QueryMetrics(prefix: "test", factory: metrics))
    }
    var random = Generator(state: seed)
    var recordings: [ResultRecording<QueryResult<Int>>] = []
    var tasks: [Task<Int, any Error>] = []
    for _ in 0..<60 {
      let step = Int.random(in: 0..<12, using: &random)
      let query = Self.query(Int.random(in: 0..<3, using: &random))
      switch step {
      case 0, 1: tasks.append(simulation.task { try await client.fetch(query) })
      case 2: tasks.popLast()?.cancel()
      case 3: recordings.append(simulation.record(client.stream(query)))
      case 4: recordings.popLast()?.cancel()
      case 5: simulation.task { await client.refetch(.key(query.key)) }
      case 6: simulation.task { await client.invalidate(.all) }
      case 7: client.remove(.key(query.key))
      case 8: online.send(Bool.random(using: &random))
      case 9: simulation.task { await client.reset(.key(query.key)) }
      case 10: client.setData(7, for: query.key)
      default: client.cancel(.key(query.key))
      }
      simulation.advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
      let fetching = client.diagnostics().count { $0.fetchStatus != .idle }
      let level = metrics.meters(label: "test.fetching").compactMap(\.lastValue).reduce(0, +)
      let entries = metrics.meters(label: "test.entries").compactMap(\.lastValue).reduce(0, +)
      #expect(level == Double(fetching), "after step \(step)")
      #expect(entries == Double(client.diagnostics().count), "after step \(step)")
    }
    client.clear()
    #expect(metrics.meters(label: "test.fetching").compactMap(\.lastValue).reduce(0, +) == 0)
    for recording in recordings { recording.cancel() }
  }

  private static func query(_ number: Int) -> Query<Int> {
    Query("n", number) { context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(500))
      if number == 1, context.attempt == 0 { throw Outage() }
      return number
    }.retry(1) { _ in .milliseconds(300) }
  }

  /// The program's own closure, the log and the metrics live side by side, in any order.
  @Test func whatIsAttachedStaysIfOnEventIsSetLater() throws {
    let told = Told()
    let client = QueryClient(simulation: simulation) { [metrics] in
      $0.measure(
        with: QueryMetrics(prefix: "test", dimensions: [("machine", "a")], factory: metrics)
      )
      $0.onEvent = { event in
        if case .fetchSucceeded = event.kind { told.count.add(1, ordering: .relaxed) }
      }
    }
    let query = Query("n") { 1 }
    _ = try simulation.run { try await client.fetch(query) }
    #expect(told.count.load(ordering: .relaxed) == 1)
    #expect(totals["test.fetches outcome=succeeded"] == 1)
    client.shutDown()
  }

  @Test func aClientThatIsFreedTakesBackWhatItAdded() throws {
    do {
      let client = client()
      for number in 0..<3 {
        _ = try simulation.run { try await client.fetch(Query("n", number) { 1 }) }
      }
      #expect(level("test.entries") == 3)
    }
    #expect(level("test.entries") == 0)
  }
}

/// Numbers from a seed.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Makes metrics by another factory, and counts how many.
private final class CountingFactory: MetricsFactory {
  let count = Atomic(0)
  /// What happens once, while the next metric is made.
  let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
  private let base: TestMetrics

  init(_ base: TestMetrics) {
    self.base = base
  }

  private func counted<Handler>(_ handler: Handler) -> Handler {
    count.add(1, ordering: .relaxed)
    let act = meanwhile.withLock { meanwhile in
      defer { meanwhile = nil }
      return meanwhile
    }
    act?()
    return handler
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counted(base.makeCounter(label: label, dimensions: dimensions))
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    counted(base.makeMeter(label: label, dimensions: dimensions))
  }

  func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    counted(base.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate))
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    counted(base.makeTimer(label: label, dimensions: dimensions))
  }

  func destroyCounter(_ handler: any CounterHandler) { base.destroyCounter(handler) }
  func destroyMeter(_ handler: any MeterHandler) { base.destroyMeter(handler) }
  func destroyRecorder(_ handler: any RecorderHandler) { base.destroyRecorder(handler) }
  func destroyTimer(_ handler: any TimerHandler) { base.destroyTimer(handler) }
}

/// Counts what a closure is told.
private final class Told: Sendable {
  let count = Atomic(0)
}
