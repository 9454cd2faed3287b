import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Refetches that are asked for while a store is read.
struct RestoredRefetchTests {
  private let simulation = Simulation(seed: 21)
  private let memory = MemoryStore()
  private let fetch = ScriptedFetch<String>(.value("fetched", after: .milliseconds(100)))
  private let online = ManualSignal(true)
  private let active = ManualSignal(true)
  private let ticks = ManualSignal(0)

  /// A query that is kept and fresh, so that only what is asked for fetches it.
  private var name: Query<String> { Query("name", fetch: fetch).staleTime(.hours(1)) }

  private func client(_ loading: Duration) -> QueryClient {
    let store = SlowStore(memory, clock: simulation.clock) { $0.loading = loading }
    return QueryClient(simulation: simulation) { [online, active] in
      $0.persistence = Persistence(in: store)
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
  }

  /// A client whose store keeps a name and takes a second to be read.
  private func launched() -> QueryClient {
    let former = client(.zero)
    former.setData("kept", for: name)
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
    return client(.seconds(1))
  }

  enum Means: String, CaseIterable {
    case key, filter, list, throwing, invalidation, trigger, ownTrigger, reconnect, activation
    case condition
  }

  private func query(for means: Means) -> Query<String> {
    switch means {
    case .ownTrigger: name.refetch(on: ticks)
    case .reconnect: name.refetchOnReconnect(.always)
    case .activation: name.refetchOnActive(.always)
    case .condition: name.refetchOnActive(.when { true })
    default: name
    }
  }

  @Test(arguments: Means.allCases)
  func aRefetchOfAnObservedQueryIsMadeWhenItsStoreIsRead(_ means: Means) {
    let client = launched()
    let query = query(for: means)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(500))
    let ends = Notes<Duration>()
    let start = simulation.now
    func wait(_ body: @escaping @Sendable () async -> Void) {
      simulation.task { [simulation] in
        await body()
        ends.add(simulation.now - start)
      }
    }
    var connection: TriggerConnection?
    switch means {
    case .key: wait { await client.refetch("name" as QueryKey<String>) }
    case .filter: wait { await client.refetch(.all) }
    case .list: wait { await client.refetch(.queries([AnyQuery(query)])) }
    case .throwing: wait { try? await client.refetch(.all, throwOnError: true) }
    case .invalidation: wait { await client.invalidate(.prefix("name")) }
    case .trigger:
      connection = client.connect(
        triggers: AsyncStream { continuation in
          continuation.yield(.refetch(.all))
          continuation.finish()
        }
      )
    case .ownTrigger: ticks.send(1)
    case .reconnect:
      online.send(false)
      simulation.settle()
      online.send(true)
    case .activation, .condition:
      active.send(false)
      simulation.settle()
      active.send(true)
    }
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.last?.data, "fetched")
    #expect(recording.values.contains { $0.data == "kept" })
    expectEqual(fetch.callCount, 1)
    if ends.count > 0 { expectEqual(ends.all, [.milliseconds(600)]) }
    expectEqual(client.diagnostics("name").map(\.observerCount), [1])
    recording.cancel()
    withExtendedLifetime(connection) {}
    client.shutDown()
    simulation.settle()
  }

  @Test("a caller that is cancelled leaves at once, and the refetch is made")
  func cancelled() {
    let client = launched()
    let recording = simulation.record(client.stream(name))
    let ends = Notes<Duration>()
    let task = simulation.task { [simulation] in
      await client.refetch(.all)
      ends.add(simulation.now)
    }
    simulation.advance(by: .milliseconds(500))
    let time = simulation.now
    task.cancel()
    simulation.advance(by: .seconds(5))
    expectEqual(ends.all, [time])
    expectEqual(fetch.callCount, 1)
    recording.cancel()
    client.shutDown()
  }

  @Test("what nobody observes any more when the store is read, or what is disabled, is not fetched")
  func gone() {
    let client = launched()
    let recording = simulation.record(client.stream(name))
    let disabled = simulation.record(
      client.stream(Query("other", fetch: fetch).enabled(false))
    )
    let ends = Notes<Duration>()
    simulation.task { [simulation] in
      await client.refetch(.all)
      ends.add(simulation.now)
    }
    simulation.advance(by: .milliseconds(500))
    recording.cancel()
    client.remove("name" as QueryKey<String>)
    simulation.advance(by: .seconds(5))
    expectEqual(ends.count, 1)
    expectEqual(fetch.callCount, 0)
    disabled.cancel()
    client.shutDown()
  }

  @Test(
    "a call does not wait for the store of what is disabled or cannot be fetched",
    arguments: [false, true]
  )
  func disabled(canFetch: Bool) {
    let client = launched()
    let query = canFetch ? name.enabled(false) : Query<String>(key: "name")
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(recording.values.map(\.isRestoring), [true])
    let start = simulation.now
    let ends = Notes<Duration>()
    simulation.task { [simulation] in
      await client.invalidate(.all)
      ends.add(simulation.now - start)
    }
    simulation.settle()
    expectEqual(ends.all, [.zero])
    simulation.advance(by: .seconds(5))
    expectEqual(fetch.callCount, 0)
    recording.cancel()
    client.shutDown()
  }

  @Test("a refresh waits for the stores of what is observed")
  func refresh() {
    let client = launched()
    let stale = Query("name", fetch: fetch)
    let recording = simulation.record(client.stream(stale))
    let result = simulation.run { await client.refetchStale(within: .seconds(10)) }
    expectEqual(result.refreshed, ["name"])
    expectEqual(fetch.callCount, 1)
    recording.cancel()
    client.shutDown()
  }

  @Test("a rule of subscriptions that changes its mind when the store is read leaves one observer")
  func rule() {
    let client = launched()
    let query = name.refetchOnSubscribe(.dynamic { $0.dataUpdatedAt == nil ? .always : .never })
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.last?.data, "kept")
    recording.cancel()
    simulation.advance(by: .hours(1))
    expectEmpty(client.diagnostics())
    client.shutDown()
  }
}
