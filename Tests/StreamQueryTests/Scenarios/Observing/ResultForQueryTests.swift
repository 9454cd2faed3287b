import Foundation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// `result(for:)` is what an observer would see first, and changes nothing.
struct ResultForQueryTests {
  let simulation = Simulation(seed: 15)

  private func slow(_ value: Int = 1) -> Query<Int> {
    Query.scripted("n", ScriptedFetch(.value(value, after: .milliseconds(10))))
  }

  @Test func aMissingEntryIsLoadingForWhoWouldLoadIt() {
    let client = QueryClient(simulation: simulation)
    let look = client.result(for: slow())
    expectEqual(ResultSummary(look), .pending(isFetching: true))
    expectEqual(look.cause, .subscribed)
    expect(look.isLoading && look.isStale && look.isEnabled)
    expectEqual(ResultSummary(client.result(for: slow().enabled(false))), .pending())
    expectEqual(ResultSummary(client.result(for: Query<Int>(key: "n"))), .pending())
    expectEmpty(client.diagnostics())
    expect(simulation.isIdle)
  }

  @Test func initialDataShowsAndMakesNoEntry() {
    let client = QueryClient(simulation: simulation)
    let asked = Notes<Int>()
    // Outside the lock: it may use the client.
    let make = { @Sendable () -> Int in
      asked.add(client.data(for: QueryKey<Int>("other")) ?? 0)
      return -1
    }
    let query = slow().staleTime(.seconds(60))
      .initialData(make(), updatedAt: simulation.date.addingTimeInterval(-30))
    let look = client.result(for: query)
    expectEqual(ResultSummary(look), .success(-1))
    expectEqual(look.dataUpdatedAt, Simulation.startDate.addingTimeInterval(-30))
    expect(!look.isStale && !look.isPlaceholderData)
    simulation.advance(by: .seconds(31))
    expectEqual(ResultSummary(client.result(for: query)), .success(-1, isFetching: true))
    expectEqual(asked.count, 2)
    expectEmpty(client.diagnostics())
  }

  @Test func aPlaceholderStandsInWhileItWouldLoad() {
    let client = QueryClient(simulation: simulation)
    let look = client.result(for: slow().placeholder(-1))
    expectEqual(ResultSummary(look), .placeholder(-1, isFetching: true))
  }

  @Test func offlineItWouldBePaused() {
    let network = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { network }
    }
    client.setData(0, for: QueryKey<Int>("other"))
    let opened = simulation.record(client.stream(Query<Int>("other") { 1 }))
    simulation.settle()
    expectEqual(ResultSummary(client.result(for: slow())), .pending(.paused))
    expectEqual(
      ResultSummary(client.result(for: slow().networkMode(.always))),
      .pending(isFetching: true)
    )
    opened.cancel()
  }

  @Test func staleDataWouldBeRefreshedAndFreshDataWouldNot() {
    let client = QueryClient(simulation: simulation)
    client.setData(7, for: slow())
    expectEqual(ResultSummary(client.result(for: slow())), .success(7, isFetching: true))
    expectEqual(ResultSummary(client.result(for: slow().staleTime(.seconds(1)))), .success(7))
    expectEqual(ResultSummary(client.result(for: slow().refetchOnSubscribe(.never))), .success(7))
    // By its key it is as it is.
    expectEqual(ResultSummary(client.result(for: slow().key)), .success(7))
    expectEqual(client.fetchingCount(), 0)
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O04 O07
  @Test func aRuleOfSubscriptionsIsAsked() {
    let client = QueryClient(simulation: simulation)
    client.setData(7, for: slow())
    let asked = Notes<Int>()
    let query = slow().staleTime(.infinite).refetchOnSubscribe { info in
      asked.add(info.observerCount)
      return info.dataUpdateCount == 1 ? .always : .never
    }
    // The first time without its definition at hand, then with it.
    for _ in 0..<2 {
      expectEqual(ResultSummary(client.result(for: query)), .success(7, isFetching: true))
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(ResultSummary(client.result(for: query)), .success(1))
    expectEqual(asked.all, [0, 0, 0, 1])
    recording.cancel()
  }

  @Test func aFailureIsTriedAgainByWhoComes() {
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.failure(Boom()), .never))
    simulation.run { await client.prefetch(query) }
    expectEqual(ResultSummary(client.result(for: query)), .pending(isFetching: true))
    expectEqual(ResultSummary(client.result(for: query.retryOnSubscribe(false))), .failure(Boom()))
    expectEqual(client.result(for: query).errorUpdateCount, 1)
  }

  @Test func aStreamedQueryWouldShowPendingAgain() {
    let client = QueryClient(simulation: simulation)
    let query = Query<[Int]>.streamed("n") { _ in AsyncStream<Int> { nil } }
    client.setData([1], for: query)
    expectEqual(ResultSummary(client.result(for: query)), .pending(isFetching: true))
    expectEqual(client.data(for: query), [1])
  }

  @Test func aPageCommandsResultIsWhatItCameTo() throws {
    let client = QueryClient(simulation: simulation)
    let server = PageServer()
    let feed = server.query()
    simulation.run { await client.prefetch(feed) }
    let result = try simulation.run { try await client.fetchNextPage(of: feed) }
    expectEqual(result.pages, ["p1#1", "p2#2"])
    expect(!result.isFetching)
    expect(client.result(for: feed).isFetching)
  }

  // MARK: What a look leaves

  // T22 T42
  @Test func aLookAtAMissingKeyMakesNoEntryConsumerDeadlineOrEvent() {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) { $0.onEvent = { told.add("\($0)") } }
    let events = simulation.record(client.events)
    let counts = simulation.record(client.fetchingCountStream())
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch)
    let looks: [Query<Int>] = [
      query, query.enabled(false), query.initialData(7), query.placeholder(7),
      query.refetchInterval(.seconds(1), inBackground: true), query.gcTime(.zero),
      query.initialData(7).enabled { $0.data != nil }.refetchOnSubscribe { _ in .always },
      query.staleTime { (info: QueryInfo) in info.isActive ? .infinite : .after(.zero) },
      query.refetch(on: AsyncStream<Int> { 1 }),
    ]
    for look in looks {
      _ = client.result(for: look)
      _ = client.result(for: look.key)
    }
    _ = client.result(for: PageServer().query())
    _ = client.result(for: Query<[Int]>.streamed("list") { _ in AsyncStream<Int> { 1 } })
    let jobs = simulation.jobCount
    expectEmpty(client.diagnostics())
    expectEqual(simulation.leakReport(), [])
    // Nothing was put off either: no retention, no interval, no staleness.
    simulation.advance(by: .hours(1))
    expectEqual(simulation.jobCount, jobs)
    expectEmpty(client.diagnostics())
    expect(told.all.isEmpty && events.values.isEmpty)
    expectEqual(counts.values, [0])
    expectEmpty(fetch.calls)
    // The next event is the first one: none was counted and lost.
    client.setData(1, for: query)
    simulation.settle()
    expectEqual(events.values.map(\.number), [1, 2])
    for recording in [events] { recording.cancel() }
    counts.cancel()
    client.shutDown()
  }

  // T42
  @Test func aLookAtAnEntryLeavesItAsItIs() throws {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) { $0.onEvent = { told.add("\($0)") } }
    let seen = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let fetch = ScriptedFetch<Int>(.value(2, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(Query.scripted("seen", seen)))
    client.setData(1, for: QueryKey<Int>("unseen"))
    simulation.advance(by: .minutes(4))
    let before = client.diagnostics().map { Facts($0) }
    let story = told.all
    let snapshots = recording.timeline
    for key in ["seen", "unseen"] {
      let query = Query.scripted(key, fetch)
      let looks: [Query<Int>] = [
        query, query.gcTime(.hours(2)), query.refetchInterval(.seconds(1)), query.initialData(7),
        query.staleTime(.static), query.enabled { $0.data == nil },
        query.refetchOnSubscribe(.always),
      ]
      for look in looks { expectEqual(client.result(for: look).data, 1) }
    }
    expectEqual(client.diagnostics().map { Facts($0) }, before)
    // The retention of who is unobserved goes on as it was, and nothing else happens.
    simulation.advance(by: .minutes(1) - .milliseconds(1))
    expectEqual(told.all, story)
    simulation.advance(by: .milliseconds(1))
    expectEqual(told.all, story + ["removed (expired) [\"unseen\"]"])
    expectEmpty(fetch.calls)
    #expect(recording.timeline == snapshots)
    // Nobody's query came in by a look: a refetch is by the one who observes.
    simulation.task { await client.refetch("seen") }
    simulation.settle()
    expectEqual(seen.callCount, 2)
    expectEqual(fetch.callCount, 0)
    recording.cancel()
    client.shutDown()
  }

  // MARK: Any state

  /// Whatever happened before and whatever the query says, the look is the first element of a stream
  /// that is taken right after it.
  @Test(arguments: Seeds.few(6))
  func itIsTheFirstElementOfAStream(_ seed: UInt64) {
    var random = SplitMixer(seed)
    let simulation = Simulation(seed: seed)
    let network = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { network }
      $0.failureInvalidates = seed % 3 > 0
    }
    let kept = simulation.record(client.stream(Query<Int>("kept") { 0 }))
    simulation.settle()
    var others: [ResultRecording<QueryResult<Int>>] = []
    for _ in 0..<40 {
      let query = Self.query(&random, simulation)
      switch random.next(14) {
      case 0: client.setData(random.next(100), for: query)
      case 1: client.setData(5, for: query, updatedAt: simulation.date.addingTimeInterval(-20))
      case 2: simulation.task { try await client.fetch(query) }
      case 3: simulation.task { await client.invalidate("n", refetch: .never) }
      case 4: simulation.task { await client.invalidate("n") }
      case 5: client.remove("n")
      case 6: simulation.task { await client.reset("n") }
      case 7: network.send(false)
      case 8: network.send(true)
      // Initial data of one observer may turn another one on, which is not asked for a look.
      case 9: others.append(simulation.record(client.stream(query.enabled(true))))
      case 10: others.popLast()?.cancel()
      case 11: client.cancel("n")
      default: break
      }
      simulation.advance(by: .milliseconds(random.next(4) * 5))
      let probe = Self.query(&random, simulation)
      let options = Self.options(&random)
      let look = client.result(for: probe, options: options)
      let inList = client.result(for: [AnyQuery(probe, options: options)])[probe]
      expectEqual(inList.map(Line.init), Line(look), "seed \(seed)")
      let observer = client.observer(of: probe, options: options)
      expectEqual(Line(look), Line(observer.result), "seed \(seed)")
      let first = simulation.record(observer.stream)
      simulation.settle()
      if let element = first.values.first { expectEqual(Line(look), Line(element), "seed \(seed)") }
      first.cancel()
      simulation.settle()
    }
    for other in others { other.cancel() }
    kept.cancel()
    simulation.advance(by: .minutes(10))
  }

  private static func options(_ random: inout SplitMixer) -> ObserverOptions? {
    switch random.next(6) {
    case 0: ObserverOptions(enabled: false)
    case 1: ObserverOptions(staleTime: .static)
    case 2: ObserverOptions(refetchOnSubscribe: .always)
    default: nil
    }
  }

  private static func query(
    _ random: inout SplitMixer,
    _ simulation: Simulation
  ) -> Query<Int> {
    let fails = random.next(3) == 0
    var query = Query<Int>("n") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(12))
      if fails { throw Boom() }
      return 1
    }.retry(random.next(2))
    switch random.next(4) {
    case 0: query = query.staleTime(.seconds(10))
    case 1: query = query.staleTime(.static)
    case 2: query = query.staleTime(.dynamic { $0.data == nil ? .after(.zero) : .infinite })
    default: break
    }
    switch random.next(6) {
    case 0: query = query.enabled(false)
    case 1: query = query.enabled { $0.data == nil }
    case 2: query = query.enabled { $0.data != nil }
    default: break
    }
    switch random.next(5) {
    case 0: query = query.initialData(-1)
    case 1: query = query.initialData(-2, updatedAt: simulation.date.addingTimeInterval(-15))
    case 2: query = query.placeholder(-3)
    default: break
    }
    switch random.next(7) {
    case 5: query = query.refetchOnSubscribe(.when { $0.dataUpdateCount % 2 == 0 })
    // Not by staleness, which is that of other observers, whose options a look does not evaluate.
    case 6: query = query.refetchOnSubscribe(.dynamic { $0.isActive ? .ifStale : .always })
    case 0: query = query.refetchOnSubscribe(.never)
    case 1: query = query.refetchOnSubscribe(.always)
    case 2: query = query.retryOnSubscribe(false)
    case 3: query = query.networkMode(.always)
    default: break
    }
    return query
  }
}

/// All that diagnostics say of an entry, but for its age.
private struct Facts: Equatable {
  var line: String
  var counts: [Int]
  var flags: [Bool]
  var updatedAt: Date?

  init(_ info: QueryInfo) {
    line = "\(info)"
    counts = [
      info.observerCount, info.waiterCount, info.dataUpdateCount, info.errorUpdateCount,
      info.failureCount,
    ]
    flags = [info.isActive, info.isDisabled, info.isStatic, info.isStale, info.isInvalidated]
    updatedAt = info.dataUpdatedAt
  }
}

/// All that a result shows.
private struct Line: Equatable {
  var summary: ResultSummary<Int>
  var flags: [Bool]
  var counts: [Int]
  var dates: [Date?]
  var cause: FetchCause?
  var reason: String

  init(_ result: QueryResult<Int>) {
    summary = ResultSummary(result)
    flags = [
      result.isStale, result.isEnabled, result.isPlaceholderData, result.isFetchedSinceSubscribing,
      result.isOptimistic, result.isFetched,
    ]
    counts = [result.failureCount, result.errorUpdateCount]
    dates = [result.dataUpdatedAt, result.errorUpdatedAt]
    cause = result.cause
    reason = result.failureReason.map { "\($0)" } ?? ""
  }
}

/// Random numbers of a seed.
private struct SplitMixer {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
  }
}
