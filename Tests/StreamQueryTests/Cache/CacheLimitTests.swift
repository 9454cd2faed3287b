import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery

/// A client whose cache has a limit.
struct CacheLimitTests: LimitedSuite {
  let simulation = Simulation(seed: 14)

  @Test("no more entries are kept than the limit says, and eviction has its own reason in events")
  func entries() {
    let client = client(CacheLimit(maxEntries: 3))
    let events = simulation.record(client.events)
    for number in 1...5 { client.setData(number, for: key(number)) }
    simulation.settle()
    expectEqual(kept(client).count, 3)
    let reasons = events.values.compactMap { event -> QueryEvent.RemovalReason? in
      if case .removed(let reason) = event.kind { reason } else { nil }
    }
    expectEqual(reasons, [.evicted, .evicted])
    client.shutDown()
  }

  @Test("what is read stays while a long list passes through")
  func scan() {
    let client = client(CacheLimit(maxEntries: 10))
    for number in 1...5 { client.setData(number, for: key(number)) }
    for _ in 1...3 { for number in 1...5 { expectEqual(client.data(for: key(number)), number) } }
    for number in 100..<300 { client.setData(number, for: key(number)) }
    expectEqual(Array(kept(client).prefix(5)), [1, 2, 3, 4, 5])
    expectEqual(kept(client).count, 10)
    client.shutDown()
  }

  @Test("observed data is never evicted, even if there is more of it than the limit")
  func observed() {
    let client = client(CacheLimit(maxEntries: 2))
    var streams: [AsyncStream<QueryResult<Int>>] = []
    for number in 1...4 {
      streams.append(client.stream(Query(key: key(number))))
      client.setData(number, for: key(number))
    }
    expectEqual(kept(client), [1, 2, 3, 4])
    client.setData(5, for: key(5))
    expectEqual(kept(client), [1, 2, 3, 4])
    expectEqual(streams.count, 4)
    streams = []
    simulation.settle()
    expectEqual(kept(client).count, 2)
    client.shutDown()
  }

  @Test("what is fetched or awaited stays until it is answered, and the caller gets the answer")
  func fetching() {
    let client = client(CacheLimit(maxEntries: 0))
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(1)))
    let query = Query(key: key(7), fetch: fetch)
    let answer = TestLock<Int?>(nil)
    let task = simulation.task {
      let value = try? await client.fetch(query)
      answer.withLock { $0 = value }
    }
    simulation.advance(by: .milliseconds(500))
    expectEqual(client.diagnostics().count, 1)
    simulation.advance(by: .seconds(1))
    expectEqual(answer.withLock { $0 }, 7)
    expectEmpty(client.diagnostics())
    _ = task
    client.shutDown()
  }

  @Test("costs are asked for once for each change of data, and the total keeps the limit")
  func costs() {
    let asked = TestLock<[Int]>([])
    let client = client(
      CacheLimit(maxCost: 100) { info in
        let value = info.value(as: Int.self) ?? 0
        asked.withLock { $0.append(value) }
        return value
      }
    )
    client.setData(40, for: key(1))
    client.setData(50, for: key(2))
    expectEqual(kept(client), [40, 50])
    client.setData(30, for: key(3))
    #expect(kept(client).reduce(0, +) <= 100)
    client.setData(1_000, for: key(4))
    #expect(!kept(client).contains(1_000))
    _ = client.data(for: key(2))
    expectEqual(asked.withLock { $0 }, [40, 50, 30, 1_000])
    client.shutDown()
  }

  @Test("a client that the cost function asks does not deadlock")
  func reentrancy() {
    let box = TestLock<QueryClient?>(nil)
    let client = client(
      CacheLimit(maxCost: 10) { _ in
        box.withLock { $0 }.map { $0.diagnostics().count } ?? 1
      }
    )
    box.withLock { $0 = client }
    for number in 1...20 { client.setData(number, for: key(number)) }
    #expect(kept(client).count <= 10)
    box.withLock { $0 = nil }
    client.shutDown()
  }

  @Test("more than one transaction evicts, if there is more than one takes")
  func slices() {
    let client = client(CacheLimit(maxEntries: 5))
    client.cache.record { $0.bounds.lookLimit = 7 }
    let all = (1...100).map { Query<Int>(key: key($0)) }
    var streams: [AsyncStream<QueryResult<Int>>] = []
    for query in all {
      client.setData(1, for: query.key)
      streams.append(client.stream(query))
    }
    expectEqual(client.diagnostics().count, 100)
    streams = []
    simulation.settle()
    expectEqual(client.diagnostics().count, 5)
    client.shutDown()
  }

  @Test("a cache that was cleared begins anew, and keeps its limit")
  func cleared() {
    let client = client(CacheLimit(maxEntries: 4))
    let stream = client.stream(Query<Int>(key: key(0)))
    for number in 1...10 { client.setData(number, for: key(number)) }
    client.clear()
    expectEqual(client.diagnostics().map(\.key), [key(0).erased])
    for number in 1...10 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().count, 4)
    _ = stream
    client.shutDown()
  }

  @Test("without a limit, nothing is evicted and nothing is counted")
  func unlimited() {
    let client = QueryClient(simulation: simulation)
    for number in 1...5_000 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().count, 5_000)
    expect(client.cache.read { $0.extensions.budget == nil })
    client.shutDown()
  }
}
