import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Reasons to fetch that come as streams, and the surroundings of a client.
struct TriggerSamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  /// A query of 1, 2 and so on, each after ten milliseconds.
  private func counting<each Part: Hashable & Sendable>(_ part: repeat each Part) -> Query<Int> {
    let steps = (1...9).map { ScriptedFetch<Int>.Step.value($0, after: .milliseconds(10)) }
    return Query(repeat each part, fetch: ScriptedFetch(steps))
  }

  private func at(_ milliseconds: Int, _ summary: ResultSummary<Int>) -> TimedSummary<Int> {
    TimedSummary(at: .milliseconds(milliseconds), summary)
  }

  @Test func aQueryRefetchesOnElementsOfAnySequence() {
    let (ticks, continuation) = AsyncStream.makeStream(of: Int.self)
    let fetch = ScriptedFetch<User>(.value(.ada))
    let recording = simulation.record(
      client.stream(
        Query("users", 1, fetch: fetch).staleTime(.infinite).refetch(on: ticks.map { $0 + 1 })
      )
    )
    simulation.settle()
    continuation.yield(1)
    simulation.settle()
    expectEqual(fetch.calls.count, 2)
    expectEqual(recording.values.last?.cause, .trigger)
  }

  @Test func sequencesOfEveryKindAreCauses() {
    func query(
      _ base: Query<Int>,
      _ failing: some AsyncSequence<Void, any Error> & Sendable,
      _ erased: any AsyncSequence<Int, Never> & Sendable,
      _ plain: AsyncStream<Int>
    ) -> Query<Int> {
      base.refetch(on: plain).refetch(on: failing).refetch(on: erased)
    }
    let (failing, failingInput) = AsyncThrowingStream.makeStream(of: Void.self)
    let (erased, erasedInput) = AsyncStream.makeStream(of: Int.self)
    let (plain, plainInput) = AsyncStream.makeStream(of: Int.self)
    let recording = simulation.record(
      client.stream(query(counting("n").staleTime(.infinite), failing, erased, plain))
    )
    simulation.advance(by: .seconds(1))
    let steps: [() -> Void] = [
      { plainInput.yield(1) }, { erasedInput.yield(1) }, { failingInput.yield() },
      // One that fails, or ends, is no cause any more; the others are.
      { failingInput.finish(throwing: Offline()) }, { erasedInput.finish() },
      { plainInput.yield(2) },
    ]
    for step in steps {
      step()
      simulation.advance(by: .seconds(1))
    }
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(1_000, .success(1, isFetching: true)), at(1_010, .success(2)),
        at(2_000, .success(2, isFetching: true)), at(2_010, .success(3)),
        at(3_000, .success(3, isFetching: true)), at(3_010, .success(4)),
        at(6_000, .success(4, isFetching: true)), at(6_010, .success(5)),
      ]
    )
    let causes: [FetchCause?] = [.subscribed, .subscribed] + Array(repeating: .trigger, count: 8)
    expectEqual(recording.values.map(\.cause), causes)
    recording.cancel()
    plainInput.finish()
  }

  @Test func policiesAskWhenTheEventArrives() {
    actor Search { var isOn = false; func turn(on isOn: Bool) { self.isOn = isOn } }
    let search = Search()
    let online = ManualSignal(true)
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
    simulation.settle()
    let query = counting("a").refetchInterval(.seconds(30)).refetchOnReconnect(.ifStale)
      .refetchOnActive(.when { await search.isOn })
    let recording = simulation.record(client.stream(query))
    func returnOf(_ signal: ManualSignal<Bool>) {
      signal.send(false)
      signal.send(true)
      simulation.advance(by: .seconds(1))
    }
    simulation.advance(by: .seconds(1))
    returnOf(online)
    returnOf(active)
    simulation.run { await search.turn(on: true) }
    returnOf(active)
    simulation.advance(by: .seconds(30))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(1_000, .success(1, isFetching: true)), at(1_010, .success(2)),
        at(3_000, .success(2, isFetching: true)), at(3_010, .success(3)),
        at(33_010, .success(3, isFetching: true)), at(33_020, .success(4)),
      ]
    )
    let causes: [FetchCause?] = [.subscribed, .reconnect, .active, .interval]
    expectEqual(recording.values.filter(\.isFetching).map(\.cause), causes)
    recording.cancel()
    client.shutDown()
    online.finish()
    active.finish()
  }

  @Test func connectedStreamsInvalidate() {
    let (notifications, continuation) = AsyncStream.makeStream(of: Int.self)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let recording = simulation.record(
      client.stream(Query("inbox", fetch: fetch).staleTime(.infinite))
    )
    let inbox = client.connect(
      triggers: notifications.map { _ in .invalidate(.prefix("inbox")) }
    )
    simulation.settle()
    continuation.yield(1)
    simulation.settle()
    expectEqual(recording.values.last?.data, 2)
    inbox.cancel()
  }

  @Test func triggersAreMadeOfElements() {
    let (stale, staleIDs) = AsyncStream.makeStream(of: Int.self)
    let (keyed, keyedIDs) = AsyncStream.makeStream(of: Int.self)
    let (some, someIDs) = AsyncStream.makeStream(of: Int.self)
    let (mixed, mixedIDs) = AsyncStream.makeStream(of: Int.self)
    let handles = [
      client.connect(triggers: stale.map { _ in .refetch(.stale && .active) }),
      client.connect(triggers: keyed.map { id in .invalidate(["users", id], refetch: .all) }),
      client.connect(triggers: some.compactMap { $0 > 1 ? .invalidate(["inbox", $0]) : nil }),
      client.connect(
        triggers: mixed.map { id -> QueryTrigger in
          if id > 1 { return .refetch(.stale) }
          return .invalidate(["users", id])
        }
      ),
    ]
    let fresh = simulation.record(client.stream(counting("users", 1).staleTime(.infinite)))
    let old = simulation.record(client.stream(counting("inbox", 2)))
    simulation.advance(by: .seconds(1))
    let left = counting("users", 2).staleTime(.infinite)
    simulation.task { [client] in await client.prefetch(left) }
    var unobserved: [Int?] = []
    let inputs = [(staleIDs, 1), (keyedIDs, 1), (keyedIDs, 2), (someIDs, 1), (someIDs, 2)]
    for (input, id) in inputs + [(mixedIDs, 1), (mixedIDs, 2)] {
      simulation.advance(by: .seconds(1))
      unobserved.append(client.data(for: left))
      input.yield(id)
    }
    simulation.advance(by: .seconds(1))
    #expect(
      fresh.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(3_000, .success(1, isFetching: true)), at(3_010, .success(2)),
        at(7_000, .success(2, isFetching: true)), at(7_010, .success(3)),
      ]
    )
    #expect(
      old.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(2_000, .success(1, isFetching: true)), at(2_010, .success(2)),
        at(6_000, .success(2, isFetching: true)), at(6_010, .success(3)),
        at(8_000, .success(3, isFetching: true)), at(8_010, .success(4)),
      ]
    )
    // Fetched though nobody observes it, as the third trigger says, and no other time.
    expectEqual(unobserved, [1, 1, 1, 2, 2, 2, 2])
    expectEqual(client.data(for: left), 2)
    // A handle that is cancelled hears nothing.
    for handle in handles { handle.cancel() }
    simulation.settle()
    for input in [staleIDs, keyedIDs] { input.yield(1) }
    simulation.advance(by: .seconds(1))
    expectEqual(fresh.values.count, 6)
    expectEqual(old.values.count, 8)
    fresh.cancel()
    old.cancel()
  }

  @Test func theConfigurationNamesTheSurroundings() {
    let client = QueryClient(
      configuration: .init(
        defaults: .init(staleTime: .seconds(1)),
        connectivity: .system,
        activity: .system,
        clock: simulation.clock,
        executor: simulation.executor
      )
    )
    client.setData(.ada, for: .user(1))
    expect(client.defaultOptions(for: "users").staleTime != nil)
    client.shutDown()
    simulation.settle()
    expectNil(QueryClient(configuration: .server).data(for: .users))
  }

  @Test func defaultsAreSetForPrefixes() throws {
    let client = QueryClient()
    client.setDefaults(QueryDefaults(gcTime: .minutes(1)))
    client.setDefaults(QueryOptions(staleTime: .after(.minutes(1)), retry: 1), for: "products")
    client.setDefaults(.default, for: ["users"]) { context in
      User(id: context.attempt, name: "default")
    }
    expectEqual(client.defaultOptions(for: ["products", 1]).gcTime, .minutes(1))
    expect(client.defaultOptions(for: ["products", 1]).staleTime != nil)
  }

  @Test func aDefaultFetchServesKeys() async throws {
    let client = QueryClient()
    client.setDefaults(.default, for: "users") { _ in User.ada }
    try await expectEqual(client.fetch(Query<User>(key: ["users", 1])), .ada)
  }

  @Test func sourcesAreAnySequencesOfStates() {
    let online = ManualSignal(true)
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
    let recording = simulation.record(client.stream(.users))
    simulation.settle()
    online.send(false)
    online.send(true)
    simulation.settle()
    expectEqual(recording.values.last?.cause, .reconnect)
    active.send(false)
    active.send(true)
    simulation.settle()
    expectEqual(recording.values.last?.cause, .active)
  }

  @Test func pollsBackOffAndReturnsArePaced() {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }.trusted(for: .minutes(2))
      $0.reconnectPacing = .coalescing(.seconds(1), spreading: .seconds(3))
      $0.activationPacing = .coalescing(.seconds(1))
      $0.activationPacing.spreading = .zero
      if $0.activationPacing == .off { $0.activationPacing.coalescing = .zero }
    }
    let polled = Query("rates") { try await api.users() }
      .refetchInterval(.every(.seconds(10)).backingOff(to: .minutes(5)).jittered(by: 0.1))
      .refetch(on: AsyncStream<Int> { $0.finish() }, pacing: .spreading(over: .seconds(1)))
    let other = Query("prices") { try await api.users() }
      .refetchInterval(.dynamic { $0.pollFailureCount > 3 ? nil : .seconds(5) }.backingOff())
    let recordings = [polled, other].map { simulation.record(client.stream($0)) }
    simulation.advance(by: .seconds(20))
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.advance(by: .seconds(3))
    #expect(recordings.allSatisfy { $0.summaries.last?.data == [.ada] })
  }

  @Test func eventsTellWhatHappened() {
    enum Screen: QueryMetaKey { static let defaultValue = "none" }
    let events = simulation.record(client.events)
    let counts = simulation.record(client.fetchingCountStream(.prefix("users")))
    simulation.settle()
    let recording = simulation.record(client.stream(Query.user(1).meta(Screen.self, "profile")))
    simulation.settle()
    let succeeded = events.values.contains {
      if case .fetchSucceeded = $0.kind { true } else { false }
    }
    expect(succeeded)
    let screens: [String] = events.values.map { $0.meta[Screen.self] }
    expectEqual(Set(screens), ["profile"])
    expectEqual(counts.values.last, 0)
    expectEqual(recording.values.last?.isSuccess, true)
  }
}
