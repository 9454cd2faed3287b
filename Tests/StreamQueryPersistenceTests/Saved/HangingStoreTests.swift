import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store whose write never returns, or waits for its next try, holds no more values than it may keep.
struct HangingStoreTests: SlowStoreSuite {
  let simulation = Simulation(seed: 32)
  let store: SlowStore
  private let alive = AliveCount()
  private static let keys = Seeds.times(10_000, orElse: 2_000)

  /// Counts the values that are there.
  final class AliveCount: Sendable {
    private let count = TestLock(0)

    var value: Int { count.withLock { $0 } }

    func add(_ number: Int) { count.withLock { $0 += number } }
  }

  /// A value that is counted.
  final class Counted: Codable, Sendable {
    let number: Int
    private let alive: AliveCount?

    init(_ number: Int, _ alive: AliveCount) {
      (self.number, self.alive) = (number, alive)
      alive.add(1)
    }

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
      alive = nil
    }

    deinit { alive?.add(-1) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func limited() -> QueryClient {
    QueryClient(simulation: simulation) { [store] in
      var persistence = Persistence(in: store)
      persistence.limit = StoreLimit(maxRecords: 100)
      $0.persistence = persistence
      $0.limit = CacheLimit(maxEntries: 100)
    }
  }

  private func counted(_ number: Int) -> QueryKey<Counted> { ["v", number] }

  private func givenUp(_ events: ResultRecording<QueryEvent>) -> Int {
    events.values.reduce(0) { sum, event in
      guard case .persistenceFailed(SavedValueError.givenUp(let count)) = event.kind else {
        return sum
      }
      return sum + count
    }
  }

  @Test("of thousands of keys as many values wait as the store may keep", arguments: [false, true])
  func bounded(fails: Bool) {
    let client = limited()
    simulation.settle()
    let events = simulation.record(client.events)
    client.setData(Counted(-1, alive), for: counted(-1))
    if fails {
      store.change { $0.refuses = { _, _ in .denied } }
    } else {
      store.change { $0.writing = .hours(1_000) }
    }
    simulation.advance(by: .seconds(2))
    for number in 0..<Self.keys {
      client.setData(Counted(number, alive), for: counted(number))
      // Events are read, and nobody writes.
      if number.isMultiple(of: 50) { simulation.settle() }
    }
    // In the cache, waiting, and on the way from one to the other.
    let most = 100 + 110 + PersistedChanges.most + 64
    #expect(alive.value <= most, "\(alive.value)")
    simulation.settle()
    #expect(givenUp(events) > Self.keys - most - 200)
    client.shutDown()
  }

  @Test(
    "no more wait until the store tells what it has, for a removal of that",
    arguments: [false, true]
  )
  func asked(fails: Bool) {
    let client = limited()
    simulation.settle()
    let events = simulation.record(client.events)
    client.setData(Counted(-1, alive), for: counted(-1))
    simulation.advance(by: .seconds(2))
    if fails {
      store.change { $0.loadError = .denied }
    } else {
      store.change { $0.loading = .hours(1_000) }
    }
    client.remove(["nothing"])
    simulation.advance(by: .seconds(2))
    expectEqual(store.loads, 2)
    for number in 0..<Self.keys {
      client.setData(Counted(number, alive), for: counted(number))
      if number.isMultiple(of: 50) { simulation.settle() }
    }
    let most = 100 + 110 + PersistedChanges.most + 64
    #expect(alive.value <= most, "\(alive.value)")
    simulation.settle()
    #expect(givenUp(events) > Self.keys - most - 200)
    client.shutDown()
  }

  @Test("the newest value of each key is written when the write returns, and no old one comes back")
  func newest() throws {
    let client = limited()
    simulation.settle()
    for number in 0..<50 { client.setData(Counted(number, alive), for: counted(number)) }
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept.count, 50)
    store.change { $0.writing = .hours(1) }
    client.setData(Counted(0, alive), for: counted(9_999))
    simulation.advance(by: .seconds(2))
    for round in 1...3 {
      for number in 0..<500 {
        client.setData(Counted(1_000 * round + number, alive), for: counted(number))
      }
    }
    store.change { $0.writing = .zero }
    simulation.advance(by: .hours(2))
    let values = store.memory.load(.main).records.compactMap {
      Int(String(decoding: $0.value.dropFirst(12), as: UTF8.self))
    }
    #expect(values.count <= 100)
    #expect(values.count > 80)
    #expect(values.allSatisfy { $0 >= 3_000 || $0 == 0 })
    client.shutDown()
  }

  @Test("a store that takes longer to be read tells of what it gives up, too")
  func reading() {
    store.change { $0.loading = .hours(1_000) }
    let client = limited()
    let events = simulation.record(client.events)
    for number in 0..<2_000 {
      client.setData(Counted(number, alive), for: counted(number))
      if number.isMultiple(of: 50) { simulation.settle() }
    }
    simulation.settle()
    #expect(alive.value <= 100 + 110 + PersistedChanges.most + 64, "\(alive.value)")
    #expect(givenUp(events) > 1_000)
    client.shutDown()
  }

  @Test("a bulk call costs its caller nothing for records that it does not mean")
  func bulkCall() {
    var records = SavedRecords(limit: StoreLimit())
    let contents = StoreContents(
      generation: .first,
      records: (0..<1_000).map { number in
        StoreRecord(
          key: #"query/Swift.Int["n",\#(number)]"#,
          value: SavedValue(Data([1]), updatedAt: 0, isInvalidated: false, version: "").data
        )
      }
    )
    _ = records.loaded(contents, at: 0)
    records.apply(RecordFilter(["n", 5]), removes: true)
    records.apply(RecordFilter(["n", 6]), removes: false)
    // Nothing was touched, but nobody finds what is gone.
    expectEqual(records.records.count, 1_000)
    let marks = (5...7).map { records.use(#"Swift.Int["n",\#($0)]"#)?.isInvalidated }
    expectEqual(marks, [nil, true, false])
    expectEqual(records.records.count, 999)
    let batch = records.takeBatch()
    expectEqual(batch?.removals, [#"query/Swift.Int["n",5]"#])
    expectEqual(batch?.puts.map(\.key), [#"query/Swift.Int["n",6]"#])
  }

  @Test("what is saved after a bulk call is not what it meant")
  func bulkCallBefore() throws {
    let client = limited()
    simulation.settle()
    client.setData(Counted(1, alive), for: counted(1))
    try simulation.run { [client] in try await client.save() }
    client.remove(["v"])
    client.setData(Counted(2, alive), for: counted(1))
    try simulation.run { [client] in try await client.save() }
    expectEqual(kept.map { $0.suffix(2) }, [" 2"])
    client.shutDown()
  }

  @Test("removals of what the store does not have do not wait either")
  func removals() {
    let client = limited()
    simulation.settle()
    client.setData(Counted(-1, alive), for: counted(-1))
    store.change { $0.writing = .hours(1_000) }
    simulation.advance(by: .seconds(2))
    for number in 0..<5_000 {
      client.setData(Counted(number, alive), for: counted(number))
      client.remove(counted(number))
    }
    let persister = client.persisters.persister as? StorePersister
    let count = persister?.state.withLock { state in
      state.ids.map { state.stores[$0]?.records.pendingChanges.removed.count ?? 0 }.reduce(0, +)
    }
    expectEqual(count.map { $0 <= 100 + PersistedChanges.most }, true, "\(count ?? -1)")
    client.shutDown()
  }
}
