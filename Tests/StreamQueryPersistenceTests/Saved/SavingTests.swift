import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// When and what a client writes to a store.
struct SavingTests: SlowStoreSuite {
  /// Not in a function, because the name of its type is a part of a key.
  struct Opaque: Sendable {}

  let simulation = Simulation(seed: 15)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  @Test("changes of a second are written together, each entry once, with its newest value")
  func throttled() {
    let client = client()
    simulation.settle()
    for round in 1...10 {
      client.setData(round, for: key(1))
      client.setData(round, for: key(2))
      simulation.advance(by: .milliseconds(50))
    }
    expectEmpty(store.batches)
    simulation.advance(by: .seconds(10))
    expectEqual(store.batches.map(\.puts.count), [2])
    expectEqual(kept, [#"Swift.Int["n",1] 10"#, #"Swift.Int["n",2] 10"#])
    client.shutDown()
    simulation.settle()
    expectEqual(store.batches.count, 1)
  }

  @Test("an entry that did not change is not written again, however it is used")
  func unchanged() {
    let client = client()
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    let recording = simulation.record(client.stream(Query(key: key(1))))
    simulation.advance(by: .seconds(2))
    recording.cancel()
    simulation.advance(by: .minutes(10))
    expectEmpty(client.diagnostics())
    expectEqual(store.batches.count, 1)
    client.shutDown()
  }

  @Test("a write with the same date is written, too")
  func sameDate() {
    let client = client()
    simulation.settle()
    for value in 1...3 {
      client.setData(value, for: key(1), updatedAt: Simulation.startDate)
      simulation.advance(by: .seconds(2))
    }
    expectEqual(store.batches.count, 3)
    expectEqual(kept, [#"Swift.Int["n",1] 3"#])
    client.shutDown()
  }

  @Test("save writes at once, and returns when it is written")
  func saved() throws {
    let client = client()
    store.change { $0.writing = .milliseconds(100) }
    simulation.settle()
    client.setData(1, for: key(1))
    try simulation.run { [client, simulation] in
      try await client.save()
      expectEqual(simulation.clock.now.offset, .milliseconds(100))
    }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.advance(by: .seconds(5))
    expectEqual(store.batches.count, 1)
    client.shutDown()
  }

  @Test("save during a write returns when what came meanwhile is written as well")
  func savedAgain() throws {
    let client = client()
    store.change { $0.writing = .milliseconds(100) }
    simulation.settle()
    client.setData(1, for: key(1))
    let first = simulation.task { [client] in try await client.save() }
    simulation.advance(by: .milliseconds(50))
    client.setData(2, for: key(1))
    try simulation.run { [client, simulation] in
      try await client.save()
      expectEqual(simulation.clock.now.offset, .milliseconds(200))
      try await first.value
    }
    expectEqual(kept, [#"Swift.Int["n",1] 2"#])
    client.shutDown()
  }

  @Test("save waits for a store that is still being read")
  func savedWhileRestoring() throws {
    store.change { $0.loading = .seconds(3) }
    let client = client()
    client.setData(1, for: key(1))
    try simulation.run { [client, simulation] in
      try await client.save()
      expectEqual(simulation.clock.now.offset, .seconds(3))
    }
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.shutDown()
  }

  @Test("what was written before the end is saved, although the store was still being read")
  func endedWhileRestoring() {
    store.change { $0.loading = .seconds(3) }
    let client = client()
    client.setData(1, for: key(1))
    client.shutDown()
    simulation.advance(by: .seconds(4))
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
  }

  @Test("a store that stays full loses three tenths at a time, and is tried again later")
  func staysFull() {
    let client = client()
    simulation.settle()
    for number in 0..<10 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(1))
    store.change { $0.writeErrors = [.full, .full, .full] }
    client.setData(99, for: key(9))
    simulation.advance(by: .seconds(1))
    expectEqual(store.batches.count, 4)
    expectEqual(kept.count, 10)
    simulation.advance(by: .seconds(2))
    expectEqual(store.batches.count, 5)
    expectEqual(kept.count, 7)
    client.shutDown()
  }

  @Test("what could not be written is told of and written later, after waits that grow")
  func failing() {
    let client = client()
    simulation.settle()
    let events = simulation.record(client.events)
    store.change { $0.writeErrors = [.denied, .denied] }
    client.setData(1, for: key(1))
    simulation.advance(by: .milliseconds(1_000))
    expectEqual(store.batches.count, 1)
    simulation.advance(by: .milliseconds(2_000))
    expectEqual(store.batches.count, 2)
    simulation.advance(by: .milliseconds(4_000))
    expectEqual(store.batches.count, 3)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    let failures = events.values.filter {
      if case .persistenceFailed(QueryStoreError.denied) = $0.kind { true } else { false }
    }
    expectEqual(failures.count, 2)
    client.shutDown()
  }

  @Test("T88: a full store loses its oldest records, and takes the rest")
  func full() {
    let client = client()
    simulation.settle()
    for number in 0..<10 {
      client.setData(number, for: key(number))
      simulation.advance(by: .milliseconds(10))
    }
    simulation.advance(by: .seconds(2))
    store.change { $0.writeErrors = [.full] }
    client.setData(99, for: key(99))
    simulation.advance(by: .seconds(2))
    expectEqual(kept.count, 10)
    #expect(!kept.contains { $0.hasPrefix(#"Swift.Int["n",0]"#) })
    #expect(kept.contains(#"Swift.Int["n",99] 99"#))
    client.shutDown()
  }

  @Test("a limit keeps the newest, or those that were used last")
  func limited() {
    for order in [StoreLimit.Order.oldestFirst, .leastRecentlyUsedFirst] {
      let memory = MemoryStore()
      let former = QueryClient(simulation: simulation) {
        $0.persistence = Persistence(in: memory)
      }
      simulation.settle()
      for number in 0..<10 {
        former.setData(number, for: key(number))
        simulation.advance(by: .seconds(2))
      }
      former.shutDown()
      simulation.settle()
      let client = QueryClient(simulation: simulation) {
        var persistence = Persistence(in: memory)
        persistence.limit = StoreLimit(maxRecords: 10, order: order)
        $0.persistence = persistence
      }
      simulation.settle()
      expectEqual(client.data(for: key(0)), 0)
      client.setData(10, for: key(10))
      simulation.advance(by: .seconds(2))
      let records = memory.load(.main).records.map(\.key)
      expectEqual(records.count, 9)
      expectEqual(records.contains(#"query/Swift.Int["n",0]"#), order == .leastRecentlyUsedFirst)
      #expect(records.contains(#"query/Swift.Int["n",10]"#))
      client.shutDown()
      simulation.settle()
    }
  }

  @Test("what is observed, and then what is cached, leaves last by use, also if it was used first")
  func observedLeavesLast() {
    let memory = MemoryStore()
    let former = QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: memory)
    }
    simulation.settle()
    for number in 0..<10 { former.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
    let client = QueryClient(simulation: simulation) {
      var persistence = Persistence(in: memory)
      persistence.limit = StoreLimit(maxRecords: 10, order: .leastRecentlyUsedFirst)
      $0.persistence = persistence
    }
    client.setDefaults(QueryOptions(gcTime: .seconds(60)), for: ["n"])
    simulation.settle()
    let recording = simulation.record(client.stream(Query(key: key(0))))
    for number in 1..<10 { _ = client.data(for: key(number)) }
    // Not cached any more, but the observed one, and what was used again.
    simulation.advance(by: .minutes(2))
    for number in 1..<5 { _ = client.data(for: key(number)) }
    for number in 10..<14 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    let left = Set(memory.load(.main).records.map(\.key))
    let numbers = [0, 1, 2, 3, 4, 10, 11, 12, 13]
    expectEqual(left, Set(numbers.map { #"query/Swift.Int["n",\#($0)]"# }))
    recording.cancel()
    client.shutDown()
  }

  @Test("predicates and redaction decide what is kept")
  func chosen() {
    let client = client {
      $0.includes = { $0.key != ["n", 2] }
      $0.redact = { value, key in
        if key == ["n", 3] { nil } else { (value as? Int).map { $0 * 100 } ?? value }
      }
    }
    simulation.settle()
    for number in 1...3 { client.setData(number, for: key(number)) }
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 100"#])
    expectEqual(client.data(for: key(1)), 1)
    client.shutDown()
  }

  @Test("optimistic changes are not kept, what the server confirmed is")
  func base() throws {
    let client = client()
    simulation.settle()
    client.setData(1, for: key(1))
    let wait = ScriptedFetch<Int>(.value(2, after: .seconds(10)))
    let mutation = Mutation<Void, Int>("raise") { try await wait() }
      .optimistic({ [key = key(1)] _ in Query(key: key) }) { value, _ in value? += 100 }
    let run = simulation.task { [client] in try await client.mutate(mutation) }
    simulation.advance(by: .seconds(5))
    expectEqual(client.data(for: key(1)), 101)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    simulation.advance(by: .seconds(10))
    _ = try simulation.run { try await run.value }
    client.shutDown()
  }

  @Test("a value that is not Encodable is told of, and nothing else suffers")
  func notEncodable() {
    let client = client()
    simulation.settle()
    let events = simulation.record(client.events)
    client.setData(Opaque(), for: "opaque" as QueryKey<Opaque>)
    client.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    #expect(events.values.contains { if case .persistenceFailed = $0.kind { true } else { false } })
    expectEqual(client.advice().map(\.rule), ["valuesNotCodable"])
    expectEqual(client.advice().first?.problem.contains("Opaque"), true)
    client.shutDown()
  }

  @Test("a value that is not Encodable and is not to be kept is no reason for advice")
  func notEncodableByIntention() throws {
    let client = client()
    let query = Query<Opaque>("opaque") { Opaque() }.notPersisted()
    _ = try simulation.run { try await client.fetch(query) }
    client.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    expectEqual(client.advice(), [])
    client.shutDown()
  }

  @Test("what changed is written at once when the app leaves the foreground")
  func inactive() {
    let isActive = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { [store] in
      $0.activity = AppActivity { isActive }
      $0.persistence = Persistence(in: store)
    }
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.settle()
    expectEmpty(kept)
    isActive.send(false)
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    client.shutDown()
  }

  @Test("a client that is released writes what it has not written yet")
  func released() {
    var client: QueryClient? = self.client()
    simulation.settle()
    client?.setData(1, for: key(1))
    client = nil
    simulation.settle()
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
  }

  @Test("a store that was wiped by somebody else gets nothing more")
  func superseded() {
    let client = client()
    simulation.settle()
    client.setData(1, for: key(1))
    simulation.advance(by: .seconds(2))
    _ = store.memory.wipe(.main)
    client.setData(2, for: key(1))
    simulation.advance(by: .minutes(5))
    client.setData(3, for: key(1))
    simulation.advance(by: .minutes(5))
    expectEmpty(kept)
    expectEqual(store.batches.count, 2)
    client.shutDown()
  }
}
