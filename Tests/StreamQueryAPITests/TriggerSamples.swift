import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Reasons to fetch that come as streams, and the surroundings of a client.
@Suite struct TriggerSamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  @Test func aQueryRefetchesOnElementsOfAnySequence() {
    let (ticks, continuation) = AsyncStream.makeStream(of: Int.self)
    let fetch = ScriptedFetch<User>(.value(.ada))
    let recording = simulation.record(
      client.stream(
        Query("user", 1, fetch: fetch).staleTime(.infinite).refetch(on: ticks.map { $0 + 1 })
      )
    )
    simulation.settle()
    continuation.yield(1)
    simulation.settle()
    #expect(fetch.calls.count == 2)
    #expect(recording.values.last?.cause == .trigger)
  }

  @Test func sequencesOfEveryKindAreCauses() {
    func query(
      _ failing: some AsyncSequence<Void, any Error> & Sendable,
      _ erased: any AsyncSequence<Int, Never> & Sendable,
      _ plain: AsyncStream<Int>
    ) -> Query<User> {
      Query.user(1).refetch(on: plain).refetch(on: failing).refetch(on: erased)
    }
    _ = query(AsyncThrowingStream { nil }, AsyncStream { nil }, AsyncStream { nil })
  }

  @Test func policiesAskWhenTheEventArrives() {
    let isSearching = true
    let query = Query("a") { 1 }.refetchInterval(.seconds(30)).refetchOnReconnect(.ifStale)
      .refetchOnActive(.when { isSearching })
    #expect(query.options.refetchInterval != nil)
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
    #expect(recording.values.last?.data == 2)
    inbox.cancel()
  }

  @Test func triggersAreMadeOfElements() {
    let ids = AsyncStream<Int> { nil }
    let handles = [
      client.connect(triggers: ids.map { _ in .refetch(.stale && .active) }),
      client.connect(triggers: ids.map { id in .invalidate(.user(id), refetch: .all) }),
      client.connect(triggers: ids.compactMap { $0 > 1 ? .invalidate(["inbox", $0]) : nil }),
      client.connect(
        triggers: ids.map { id -> Trigger in
          if id > 1 { return .refetch(.stale) }
          return .invalidate(.user(id))
        }
      ),
    ]
    for handle in handles { handle.cancel() }
    simulation.settle()
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
    #expect(client.defaultOptions(for: "user").staleTime != nil)
    client.shutDown()
    simulation.settle()
    #expect(QueryClient(configuration: .server).data(for: .users) == nil)
  }

  @Test func defaultsAreSetForPrefixes() throws {
    let client = QueryClient()
    client.setDefaults(QueryDefaults(gcTime: .minutes(1)))
    client.setDefaults(QueryOptions(staleTime: .after(.minutes(1)), retry: 1), for: "products")
    client.setDefaults(.default, for: ["user"]) { context in
      User(id: context.attempt, name: "default")
    }
    #expect(client.defaultOptions(for: ["products", 1]).gcTime == .minutes(1))
    #expect(client.defaultOptions(for: ["products", 1]).staleTime != nil)
  }

  @Test func aDefaultFetchServesKeys() async throws {
    let client = QueryClient()
    client.setDefaults(.default, for: "user") { _ in User.ada }
    #expect(try await client.fetch(Query<User>(key: ["user", 1])) == .ada)
  }

  @Test func sourcesAreAnySequencesOfStates() {
    let online = ManualSignal(true)
    let active = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = Activity { active }
    }
    let recording = simulation.record(client.stream(.users))
    simulation.settle()
    online.send(false)
    online.send(true)
    simulation.settle()
    #expect(recording.values.last?.cause == .reconnect)
    active.send(false)
    active.send(true)
    simulation.settle()
    #expect(recording.values.last?.cause == .active)
  }

  @Test func eventsTellWhatHappened() {
    let events = simulation.record(client.events)
    let counts = simulation.record(client.fetchingCounts(.prefix("user")))
    simulation.settle()
    let recording = simulation.record(client.stream(.user(1)))
    simulation.settle()
    let succeeded = events.values.contains {
      if case .fetchSucceeded = $0.kind { true } else { false }
    }
    #expect(succeeded)
    #expect(counts.values.last == 0)
    #expect(recording.values.last?.isSuccess == true)
  }
}
