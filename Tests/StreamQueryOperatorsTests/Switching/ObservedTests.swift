import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct ObservedTests {
  private let fetches = (0...3).map { id in
    ScriptedFetch<String>(.value("v\(id)", after: .seconds(1)))
  }

  private func query(_ id: Int) -> Query<String> {
    Query("item", id, fetch: fetches[id])
  }

  @Test func theObserverMovesFromKeyToKey() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let ids = ManualSignal(1)
    let query = query
    let recording = simulation.record(ids.map { query($0) }.observed(by: client))
    simulation.advance(by: .seconds(2))
    ids.send(2)
    simulation.settle()
    expectEqual(client.diagnostics().map(\.observerCount).sorted(), [0, 1])
    simulation.advance(by: .seconds(2))
    #expect(
      recording.timeline == [
        .init(at: .zero, .pending(isFetching: true)),
        .init(at: .seconds(1), .success("v1")),
        .init(at: .seconds(2), .pending(isFetching: true)),
        .init(at: .seconds(3), .success("v2")),
      ]
    )
    recording.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aKeyWithCachedDataShowsItAtOnce() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setData("cached", for: query(2))
    let ids = ManualSignal(1)
    let query = query
    let recording = simulation.record(ids.map { query($0) }.observed(by: client))
    simulation.advance(by: .seconds(2))
    ids.send(2)
    simulation.settle()
    #expect(recording.timeline.last == .init(at: .seconds(2), .success("cached", isFetching: true)))
  }

  @Test func theSameKeyAgainIsNoNewSubscription() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let ids = ManualSignal(1)
    let query = query
    let recording = simulation.record(ids.map { query($0) }.observed(by: client))
    simulation.advance(by: .seconds(2))
    ids.send(1)
    simulation.advance(by: .seconds(2))
    expectEqual(fetches[1].callCount, 1)
    expectEqual(recording.values.count, 2)
  }

  @Test func previousDataIsKeptAcrossAMoveS08() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let ids = ManualSignal(1)
    let query = query
    let recording = simulation.record(
      ids.map { query($0) }.observed(by: client).keepPreviousData()
    )
    simulation.advance(by: .seconds(2))
    ids.send(2)
    simulation.settle()
    #expect(recording.summaries.last == .placeholder("v1", isFetching: true))
  }

  @Test func endsWithTheClientAndNotWithTheQueries() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = query
    let ids = AsyncStream<Int> {
      $0.yield(1)
      $0.finish()
    }
    let recording = simulation.record(ids.map { query($0) }.observed(by: client))
    simulation.advance(by: .seconds(2))
    #expect(recording.summaries.last == .success("v1"))
    expect(!recording.isFinished)
    client.shutDown()
    simulation.settle()
    expect(recording.isFinished)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func endsWithTheClientThoughQueriesMayStillCome() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let ids = ManualSignal(1)
    let query = query
    let moving = simulation.record(ids.map { query($0) }.observed(by: client))
    let switched = simulation.record(client.results(of: query(2), enabledBy: ManualSignal(true)))
    simulation.advance(by: .seconds(2))
    client.shutDown()
    simulation.settle()
    expect(moving.isFinished && switched.isFinished)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func noQueryAtAllEndsAtOnce() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let none = AsyncStream<Query<String>> { $0.finish() }
    let recording = simulation.record(none.observed(by: client))
    simulation.settle()
    expect(recording.isFinished)
    expectEmpty(recording.values)
  }

  @Test func aFailureOfTheQueriesEndsTheObservation() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = query
    let (ids, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let recording = simulation.record(ids.map { query($0) }.observed(by: client))
    continuation.yield(1)
    simulation.advance(by: .seconds(1))
    continuation.finish(throwing: MarbleFailure())
    simulation.settle()
    #expect(recording.failure is MarbleFailure)
    #expect(recording.summaries == [.pending(isFetching: true), .success("v1")])
    expectEqual(simulation.leakReport(), [])
  }

  // MARK: Enabled by a stream

  @Test func aStreamOfBoolTurnsAQueryOnAndOffO10() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let isVisible = ManualSignal(false)
    let recording = simulation.record(client.results(of: query(1), enabledBy: isVisible))
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [.init(at: .zero, .pending())])
    expectEqual(fetches[1].callCount, 0)
    isVisible.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(
      recording.timeline.suffix(2),
      [
        .init(at: .seconds(1), .pending(isFetching: true)),
        .init(at: .seconds(2), .success("v1")),
      ]
    )
    isVisible.send(false)
    simulation.settle()
    expectEqual(recording.values.last?.isEnabled, false)
    simulation.task("invalidation") { [query] in await client.invalidate(query(1)) }
    simulation.advance(by: .seconds(2))
    expectEqual(fetches[1].callCount, 1)
    isVisible.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(fetches[1].callCount, 2)
    recording.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func cachedDataShowsBeforeAnythingSaysWhetherItIsOnO10() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setData("cached", for: query(1))
    let (never, continuation) = AsyncStream<Bool>.makeStream()
    let recording = simulation.record(client.results(of: query(1), enabledBy: never))
    simulation.settle()
    #expect(recording.summaries == [.success("cached")])
    expectEqual(recording.values.first?.isEnabled, false)
    continuation.finish()
    simulation.settle()
    expect(!recording.isFinished)
  }

  @Test func aFailureOfTheSwitchIsThrown() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let failing = AsyncThrowingStream<Bool, any Error> { throw MarbleFailure() }
    let recording = simulation.record(client.results(of: query(1), enabledBy: failing))
    simulation.settle()
    #expect(recording.failure is MarbleFailure)
    expectEqual(simulation.leakReport(), [])
  }

  // MARK: Dependent queries

  @Test(arguments: 0..<16 as Range<UInt64>)
  func aDependentKeyThatStaysNeverLosesItsLastObserver(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let fetches = (0...2).map { _ in
      ScriptedFetch<[String]>(.value(["project"], after: .seconds(1)))
    }
    let observed = Mutex<[Int]>([])
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        guard event.key.description.contains("projects") else { return }
        switch event.kind {
        case .observed(let count), .unobserved(let count): observed.withLock { $0.append(count) }
        default: break
        }
      }
    }
    let user = Query<String>("user", fetch: ScriptedFetch(.value("1a"), .value("1b"), .value("2")))
    let recording = simulation.record(
      client.stream(user).values().switchToLatest { name in
        let id = name.prefix(1)
        let fetch = fetches[id == "1" ? 1 : 2]
        return client.stream(Query("projects", String(id), fetch: fetch).staleTime(.hours(1)))
      }
    )
    simulation.advance(by: .milliseconds(500))
    // Another user of the same projects: their running fetch must survive.
    simulation.task("again") { await client.invalidate(user) }
    simulation.advance(by: .seconds(2))
    expectEqual(fetches[1].callCount, 1)
    expectEqual(observed.withLock { $0 }, [1, 2, 1])
    expectEqual(recording.values.last?.data, ["project"])
    simulation.task("again") { await client.invalidate(user) }
    simulation.advance(by: .seconds(2))
    expectEqual(observed.withLock { $0 }, [1, 2, 1, 1, 0])
    expectEqual(fetches[2].callCount, 1)
    recording.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  private struct Person: Equatable, Sendable {
    var id: Int
    var name: String
  }

  /// How often the projects of a user are fetched while the user is written five times.
  private func fetches(
    _ follow: (
      QueryClient,
      Query<Person>,
      @escaping @Sendable (Int) -> Query<String>
    ) -> any AsyncSequence<QueryResult<String>, Never> & Sendable
  ) -> Int {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<String>(.value("project", after: .milliseconds(10)))
    let user = Query<Person>(key: "user")
    let recording = simulation.record(follow(client, user) { Query("projects", $0, fetch: fetch) })
    for name in ["a", "b", "b", "c", "d"] {
      client.setData(Person(id: 1, name: name), for: user)
      simulation.advance(by: .seconds(1))
    }
    #expect(recording.summaries.last == .success("project"))
    return fetch.callCount
  }

  @Test func fiveWritesOfOneIdFetchTheDependentOnce() {
    let documented = fetches { client, user, projects in
      client.stream(user).values().map(\.id).switchToLatest { client.stream(projects($0)) }
    }
    let moving = fetches { client, user, projects in
      client.stream(user).values().map { projects($0.id) }.observed(by: client)
    }
    let every = fetches { client, user, projects in
      client.stream(user).values(removingDuplicates: false).map(\.id)
        .switchToLatest(removingDuplicates: false) { client.stream(projects($0)) }
    }
    expectEqual([documented, moving, every], [1, 1, 5])
  }

  // MARK: The query's own policy

  @Test func errorsThatTheQueryNamesAreThrownO18() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setDefaults(QueryOptions(throwOnError: .always), for: ["strict"])
    let failing = ScriptedFetch<Int>(.failure(SampleError(name: "bad")))
    let plain = simulation.record(
      client.throwingResults(of: Query("a", fetch: failing).retry(0))
    )
    let own = simulation.record(
      client.throwingResults(of: Query("b", fetch: failing).retry(0).throwOnError(true))
    )
    let byDefault = simulation.record(
      client.throwingResults(of: Query("strict", 1, fetch: failing).retry(0))
    )
    let ownOverDefault = simulation.record(
      client.throwingResults(of: Query("strict", 2, fetch: failing).retry(0).throwOnError(.never))
    )
    simulation.settle()
    expect(plain.failure == nil && plain.values.last?.isError == true)
    #expect(own.failure is SampleError)
    #expect(byDefault.failure is SampleError)
    expect(ownOverDefault.failure == nil && ownOverDefault.values.last?.isError == true)
  }
}
