import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// Which entries of a client with a limit leave, by how they are used.
struct LimitedUseTests: LimitedSuite {
  let simulation = Simulation(seed: 14)

  // MARK: What stays

  @Test("what an optimistic change shows stays until its run is over, also without data below")
  func layers() {
    let client = client(CacheLimit(maxEntries: 1))
    let keys = [key(1), key(2)]
    let set = Mutation("set") { (_: Int) in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
    }.optimistic { input, changes in
      for key in keys { changes.update(key) { $0 = ($0 ?? 0) + input } }
    }
    client.setData(1, for: key(1))
    simulation.start(set, with: 10, on: client)
    simulation.settle()
    for number in 100..<120 { client.setData(number, for: key(number)) }
    expectEqual(client.data(for: key(1)), 11)
    expectEqual(client.data(for: key(2)), 10)
    expectEqual(kept(client), [10, 11])
    simulation.advance(by: .seconds(2))
    expectEqual(client.diagnostics().count, 1)
    client.shutDown()
  }

  @Test("a disabled observer holds its entry, too")
  func disabled() {
    let client = client(CacheLimit(maxEntries: 1))
    client.setData(1, for: key(1))
    let recording = simulation.record(client.stream(Query<Int>(key: key(1)).enabled(false)))
    for number in 100..<120 { client.setData(number, for: key(number)) }
    client.setData(2, for: key(1))
    simulation.settle()
    expectEqual(recording.summaries.last?.data, 2)
    expectEqual(kept(client), [2])
    recording.cancel()
    client.shutDown()
  }

  @Test("a paused fetch stays, with its caller, and is answered when the network is back")
  func paused() throws {
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.limit = CacheLimit(maxEntries: 0)
    }
    simulation.settle()
    let query = Query(key: key(1)) { 7 }
    let answer = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    client.setData(2, for: key(2))
    expectEqual(client.diagnostics().map(\.key), [key(1).erased])
    online.send(true)
    try expectEqual(simulation.run { try await answer.value }, 7)
    simulation.settle()
    expectEmpty(client.diagnostics())
    client.shutDown()
  }

  @Test("a refetch that nobody observes or waits for by itself is not cut short")
  func refetch() throws {
    let client = client(CacheLimit(maxEntries: 1))
    let events = simulation.record(client.events)
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    let query = Query(key: key(1), fetch: fetch)
    _ = try simulation.run { try await client.fetch(query) }
    let refetch = simulation.task { await client.refetch(query) }
    simulation.advance(by: .milliseconds(500))
    for number in 2...20 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().map(\.key), [key(1).erased])
    simulation.advance(by: .seconds(1))
    simulation.run { await refetch.value }
    let successes = events.values.count { event in
      if case .fetchSucceeded = event.kind { event.key == key(1).erased } else { false }
    }
    expectEqual(successes, 2)
    client.shutDown()
  }

  // MARK: What was not observed yet

  @Test("what was fetched ahead or written for the next screen is there when it appears")
  func newcomers() throws {
    let client = client(CacheLimit(maxEntries: 100))
    for number in 1...100 { client.setData(number, for: key(number)) }
    for _ in 1...5 { for number in 1...100 { _ = client.data(for: key(number)) } }
    let fetch = ScriptedFetch<Int>(.value(0))
    for number in 201...205 {
      let query = Query(key: key(number), fetch: fetch)
      _ = try simulation.run { try await client.fetch(query) }
    }
    for number in 206...210 { client.setData(number, for: key(number)) }
    #expect((201...210).allSatisfy { client.data(for: key($0)) != nil })
    expectEqual(fetch.callCount, 5)
    expectEqual(client.diagnostics().count, 100)
    client.shutDown()
  }

  @Test("what begins with initial data counts, and leaves when its observer does and others came")
  func initialData() {
    let client = client(CacheLimit(maxEntries: 3))
    for number in 1...10 {
      let query = Query(key: key(number)) { number }.initialData(number).staleTime(.infinite)
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      #expect(recording.summaries == [.success(number)])
      recording.cancel()
      simulation.settle()
    }
    expectEqual(client.diagnostics().count, 3)
    client.shutDown()
  }

  @Test("what was observed and is not any more stays while less used entries leave")
  func unobserved() {
    let client = client(CacheLimit(maxEntries: 10))
    let recording = simulation.record(client.stream(Query<Int>(key: key(0))))
    client.setData(0, for: key(0))
    for _ in 1...3 { expectEqual(client.data(for: key(0)), 0) }
    recording.cancel()
    simulation.settle()
    for number in 100..<200 { client.setData(number, for: key(number)) }
    expectEqual(client.data(for: key(0)), 0)
    client.shutDown()
  }

  @Test("the longest retention does not keep what there is no room for")
  func retention() {
    let client = QueryClient(simulation: simulation) {
      $0.defaults.options.gcTime = .seconds(1_000_000_000)
      $0.limit = CacheLimit(maxEntries: 2)
    }
    for number in 1...10 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().count, 2)
    client.shutDown()
  }

  // MARK: Costs

  @Test("a cost that grows makes room, one that shrinks lets others in, and held entries count")
  func changingCosts() {
    let client = client(CacheLimit(maxCost: 100) { $0.value(as: Int.self) ?? 0 })
    let recording = simulation.record(client.stream(Query<Int>(key: key(0))))
    client.setData(10, for: key(0))
    for number in 1...4 { client.setData(20, for: key(number)) }
    expectEqual(kept(client), [10, 20, 20, 20, 20])
    client.setData(60, for: key(0))
    expectEqual(kept(client), [20, 20, 60])
    client.setData(500, for: key(0))
    expectEqual(kept(client), [500])
    client.setData(10, for: key(0))
    for number in 1...4 { client.setData(20, for: key(number)) }
    expectEqual(kept(client), [10, 20, 20, 20, 20])
    recording.cancel()
    simulation.settle()
    expectEqual(kept(client), [10, 20, 20, 20, 20])
    client.shutDown()
  }

  @Test("what was emptied costs as much as an entry without data, until it has data again")
  func emptied() throws {
    let client = client(CacheLimit(maxCost: 100) { $0.value(as: Int.self) ?? 0 })
    client.setData(90, for: key(1))
    simulation.run { await client.reset(.all) }
    expectEqual(client.diagnostics().count, 1)
    client.setData(80, for: key(2))
    expectEqual(client.diagnostics().count, 2)
    expectEqual(kept(client), [80])
    client.shutDown()
  }

  @Test("costs of any size and sign neither trap nor stay behind")
  func extremes() {
    let client = client(CacheLimit(maxCost: .max) { $0.value(as: Int.self) ?? 0 })
    for (number, cost) in [Int.max, .min, 0, -1, .max].enumerated() {
      client.setData(cost, for: key(number))
    }
    #expect(client.diagnostics().count < 5)
    client.remove(.all)
    for number in 1...50 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().count, 50)
    client.shutDown()
  }

  @Test("pages are one entry: its cost is asked for again with each page")
  func pages() throws {
    let asked = TestLock<[Int]>([])
    let client = client(
      CacheLimit(maxCost: 10) { info in
        let count = info.value(as: Pages<Int, Int>.self)?.pages.count ?? 0
        asked.withLock { $0.append(count) }
        return count
      }
    )
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0, maxPages: 2) { page, _ in
      page
    } nextPageParam: {
      $0.lastPage + 1
    }
    let recording = simulation.record(client.stream(feed))
    simulation.settle()
    for _ in 1...3 { _ = try simulation.run { try await client.fetchNextPage(of: feed) } }
    expectEqual(asked.withLock { $0 }, [1, 2, 2, 2])
    recording.cancel()
    client.shutDown()
  }

  // MARK: Everything at once

  @Test("an archive that is imported fills the cache to its limit, and tables shrink again")
  func archive() throws {
    let former = QueryClient(simulation: simulation)
    for number in 1...3_000 { former.setData(number, for: key(number)) }
    let archive = former.export().archive
    let client = client(CacheLimit(maxEntries: 100))
    client.cache.record { $0.bounds.leastSlots = 16 }
    let all = (1...3_000).map { Archivable.query(Query<Int>(key: key($0))) }
    expectEqual(client.import(archive, for: all).entryCount, 3_000)
    expectEqual(client.diagnostics().count, 100)
    #expect(client.cache.read { $0.slots.count } < 1_000)
    expectEqual(client.cache.read { $0.extensions.budget?.order.entryCount }, 100)
    former.shutDown()
    client.shutDown()
  }

  @Test("a reset of what is observed keeps the limit, and clear forgets everything but that")
  func reset() {
    let client = client(CacheLimit(maxEntries: 3))
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    let recording = simulation.record(client.stream(Query(key: key(1), fetch: fetch)))
    for number in 10...20 { client.setData(number, for: key(number)) }
    _ = simulation.task { await client.reset(.all) }
    simulation.advance(by: .seconds(5))
    expectEqual(client.diagnostics().count, 3)
    client.clear()
    expectEqual(client.diagnostics().map(\.key), [key(1).erased])
    expectEqual(client.cache.read { $0.extensions.budget?.order.entryCount }, 1)
    recording.cancel()
    client.shutDown()
  }
}
