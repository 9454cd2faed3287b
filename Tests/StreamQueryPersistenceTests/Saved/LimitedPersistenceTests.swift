import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// A store keeps what a cache has no room for.
struct LimitedPersistenceTests: SlowStoreSuite {
  let simulation = Simulation(seed: 14)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func client(_ limit: CacheLimit) -> QueryClient {
    QueryClient(simulation: simulation) { [store] in
      $0.persistence = Persistence(in: store)
      $0.limit = limit
    }
  }

  @Test("what was evicted is read from the store, whether it had been saved or not")
  func evicted() {
    let client = client(CacheLimit(maxEntries: 2))
    simulation.settle()
    for number in 1...5 { client.setData(number, for: key(number)) }
    expectEqual(client.diagnostics().count, 2)
    for number in 1...5 { expectEqual(client.data(for: key(number)), number) }
    simulation.advance(by: .seconds(2))
    for number in 1...5 { expectEqual(client.data(for: key(number)), number) }
    expectEqual(client.diagnostics().count, 2)
    expectEqual(kept, (1...5).map { #"Swift.Int["n",\#($0)] \#($0)"# })
    client.shutDown()
  }

  @Test("what was restored and evicted again is not written again")
  func unchanged() {
    let client = client(CacheLimit(maxEntries: 2))
    simulation.settle()
    for number in 1...20 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    let count = store.batches.count
    for _ in 1...3 { for number in 1...20 { expectEqual(client.data(for: key(number)), number) } }
    simulation.advance(by: .seconds(5))
    expectEqual(store.batches.count, count)
    client.shutDown()
  }

  @Test("without any room, reads, updates and fetches still begin with what is kept")
  func noRoom() throws {
    let client = client(CacheLimit(maxEntries: 0))
    simulation.settle()
    client.setData(1, for: key(1))
    expectEmpty(client.diagnostics())
    expectEqual(client.data(for: key(1)), 1)
    expectEqual(client.result(for: Query(key: key(1))).data, 1)
    client.updateData(for: key(1)) { $0 = ($0 ?? 100) + 1 }
    expectEqual(client.data(for: key(1)), 2)
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 2"#])
    let fetch = ScriptedFetch<Int>(.value(50))
    let query = Query(key: key(1), fetch: fetch)
    let answer = try simulation.run { try await client.ensure(query) }
    expectEqual(answer, 2)
    expectEqual(fetch.callCount, 0)
    expectEmpty(client.diagnostics())
    client.shutDown()
  }

  @Test("options that ask about data are told of what is kept, although there is no room for it")
  func asked() {
    let former = client(CacheLimit(maxEntries: 10))
    simulation.settle()
    former.setData(1, for: key(1))
    former.shutDown()
    simulation.settle()
    let client = client(CacheLimit(maxEntries: 0))
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.value(50))
    let query = Query(key: key(1), fetch: fetch)
      .staleTime(.dynamic { info in info.value(as: Int.self) == 1 ? .after(.hours(1)) : .zero })
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(recording.summaries == [.success(1)])
    expectEqual(fetch.callCount, 0)
    recording.cancel()
    client.shutDown()
  }

  @Test("updates of one key that there is no room for are not lost, whoever comes first")
  func updates() {
    let client = client(CacheLimit(maxEntries: 0))
    simulation.settle()
    client.setData(0, for: key(1))
    let rounds = Recorded<Int?>()
    client.updateData(for: key(1)) { [key = key(1)] value in
      rounds.append(value)
      // Another caller, of whom this task knows nothing, is faster.
      if rounds.values.count == 1 {
        UpdateChain.$current.withValue(nil) { client.setData(10, for: key) }
      }
      value = (value ?? 100) + 1
    }
    expectEqual(rounds.values, [0, 10])
    expectEqual(client.data(for: key(1)), 11)
    client.shutDown()
  }

  @Test("at a critical level of memory, what was not saved yet is saved at once")
  func critical() {
    let level = ManualSignal(MemoryPressure.Level.normal)
    let client = QueryClient(simulation: simulation) { [store] in
      $0.persistence = Persistence(in: store)
      $0.memoryPressure = MemoryPressure { level }
    }
    simulation.settle()
    client.setData(1, for: key(1))
    level.send(.warning)
    simulation.settle()
    expectEmpty(store.batches)
    client.setData(1, for: key(1))
    level.send(.critical)
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    expectEmpty(client.diagnostics())
    expectEqual(client.data(for: key(1)), 1)
    client.shutDown()
  }

  @Test("thousands of kept records do not fill a cache of a hundred, and all can be read")
  func manyRecords() {
    let count = Seeds.times(10_000, orElse: 2_000)
    let former = client(CacheLimit())
    simulation.settle()
    for number in 1...count { former.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(5))
    former.shutDown()
    simulation.settle()
    let client = client(CacheLimit(maxEntries: 100))
    simulation.settle()
    expectEmpty(client.diagnostics())
    #expect((1...count).allSatisfy { client.data(for: key($0)) == $0 })
    expectEqual(client.diagnostics().count, 100)
    client.shutDown()
  }
}
