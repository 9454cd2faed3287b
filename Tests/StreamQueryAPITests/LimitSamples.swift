import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Bounds on what a client keeps.
struct LimitSamples {
  let simulation = Simulation()

  @Test func theNumberOfEntriesIsBounded() {
    let client = QueryClient(simulation: simulation) {
      $0.limit = CacheLimit(maxEntries: 2)
    }
    for number in 1...3 { client.setData(number, for: QueryKey("number", number)) }
    expectEqual(client.entries(of: Int.self).count, 2)
  }

  @Test func theCostOfEntriesIsBounded() {
    let client = QueryClient(simulation: simulation) {
      $0.limit = CacheLimit(maxCost: 100) { info in info.value(as: Data.self)?.count ?? 1 }
    }
    for number in 1...3 { client.setData(Data(count: 60), for: QueryKey("data", number)) }
    expectEqual(client.entries(of: Data.self).count, 1)
  }

  @Test func bothMayBeChanged() {
    var limit = CacheLimit(maxEntries: 10, maxKeySize: 16_384)
    limit.maxCost = 1_000
    limit.cost = { _ in 2 }
    expectEqual(limit.maxEntries, 10)
  }

  @Test func onlySoManyFetchAtATime() {
    let client = QueryClient(simulation: simulation) { $0.maxConcurrentFetches = 1 }
    let recordings = ["a", "b"].map { name in
      simulation.record(
        client.stream(
          Query(name) { _ in
            try await Scheduling.current.clock.sleep(for: .seconds(1))
            return name
          }
        )
      )
    }
    simulation.advance(by: .seconds(1))
    expectEqual(recordings.map { $0.values.last?.data }, ["a", nil])
    simulation.advance(by: .seconds(1))
    expectEqual(recordings.map { $0.values.last?.data }, ["a", "b"])
  }

  @Test func asMuchIsRefreshedAsThereIsTimeFor() {
    let client = QueryClient(simulation: simulation)
    let query = Query("a") { "a" }
    let list = [AnyQuery(query)]
    let refreshes: [@Sendable () async -> QueryRefresh] = [
      { await client.refetchStale(list, within: .seconds(20)) },
      { await client.refetchStale(list, until: Date.distantFuture) },
      { await client.refetchStale(within: .seconds(20)) },
      { await client.refetchStale(.prefix("a"), until: Date.distantFuture) },
    ]
    for refresh in refreshes {
      let result = simulation.run { await refresh() }
      expectEqual(result.refreshed, ["a"])
      expect(result.failed.isEmpty && result.remaining.isEmpty)
      expectEqual(client.data(for: query), "a")
    }
    client.shutDown()
  }

  @Test func memoryThatIsShortDropsWhatNobodyUses() {
    let level = ManualSignal(MemoryPressure.Level.normal)
    let client = QueryClient(simulation: simulation) {
      $0.memoryPressure = MemoryPressure { level }
    }
    let events = simulation.record(client.events)
    client.setData(1, for: QueryKey("number", 1))
    level.send(.critical)
    simulation.settle()
    expectEmpty(client.entries(of: Int.self))
    let isEvicted = events.values.contains { event in
      if case .removed(.evicted) = event.kind { true } else { false }
    }
    expect(isEvicted)
  }

  @Test func theSystemIsASource() {
    var configuration = QueryClient.Configuration.server
    configuration.memoryPressure = .system
    configuration.memoryPressure = .platformDefault
    configuration.memoryPressure = .none
    #if os(Linux)
    configuration.memoryPressure = .cgroup(checkedEvery: .seconds(30))
    #endif
    #expect(MemoryPressure.Level.warning < .critical)
  }
}
