import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values that a store cannot keep, although it has an older one of their keys.
struct UnkeepableValueTests: SlowStoreSuite {
  let simulation = Simulation(seed: 30)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func problems(_ events: ResultRecording<QueryEvent>) -> [String] {
    events.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { "\(error)" } else { nil }
    }
  }

  private func save(_ client: QueryClient) throws {
    try simulation.run { try await client.save() }
  }

  @Test("the old value of one that does not encode does not come back")
  func doesNotEncode() throws {
    let client = client {
      $0.coding = ArchiveCoding {
        if $0 as? Int == 13 { throw Boom(13) }
        return try JSONEncoder().encode($0)
      } decode: {
        try JSONDecoder().decode($0, from: $1)
      }
    }
    simulation.settle()
    let events = simulation.record(client.events)
    for number in 1...2 { client.setData(number, for: key(number)) }
    try save(client)
    client.setData(13, for: key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",2] 2"#])
    expectEqual(problems(events), ["\(Boom(13))"])
    client.setData(14, for: key(1))
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 14"#, #"Swift.Int["n",2] 2"#])
    client.shutDown()
  }

  @Test("the old value of one above the limit does not come back, and others stay")
  func tooLarge() throws {
    let key: QueryKey<String> = "text"
    let client = client { $0.limit = StoreLimit(maxBytes: 100) }
    simulation.settle()
    let events = simulation.record(client.events)
    client.setData("short", for: key)
    client.setData(1, for: self.key(1))
    try save(client)
    expectEqual(kept.count, 2)
    client.setData(String(repeating: "x", count: 200), for: key)
    try save(client)
    expectEqual(kept, [#"Swift.Int["n",1] 1"#])
    let count = #"query/Swift.String["text"]"#.utf8.count + 12 + 202
    expectEqual(problems(events), ["\(SavedValueError.tooLarge(byteCount: count, limit: 100))"])
    client.shutDown()
  }

  @Test("a value that the store itself has no room for is told of, and later ones are saved")
  func largerThanTheStore() throws {
    let store = DefaultsStore(DictionaryDefaults(), maxBytes: 1_000)
    func launch() -> QueryClient {
      QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    }
    let text: QueryKey<String> = "text"
    let client = launch()
    simulation.settle()
    let events = simulation.record(client.events)
    client.setData(1, for: key(1))
    client.setData("short", for: text)
    try save(client)
    client.setData(String(repeating: "x", count: 2_000), for: text)
    try save(client)
    client.setData(2, for: key(2))
    try save(client)
    let count = #"query/Swift.String["text"]"#.utf8.count + 12 + 2_002
    expectEqual(problems(events), ["\(SavedValueError.tooLarge(byteCount: count, limit: 936))"])
    client.shutDown()
    simulation.settle()
    let next = launch()
    simulation.settle()
    expectNil(next.data(for: text))
    expectEqual((1...2).map { next.data(for: key($0)) }, [1, 2])
    next.shutDown()
  }

  @Test(
    "a large value drives out older ones where the store itself has no room for all, and stays",
    arguments: [(700, [7, 8]), (820, [8])]
  )
  func drivesOut(_ size: Int, _ kept: [Int]) throws {
    let store = DefaultsStore(DictionaryDefaults(), maxBytes: 1_000)
    let client = QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    simulation.settle()
    let events = simulation.record(client.events)
    func key(_ number: Int) -> QueryKey<String> { ["text", number] }
    for number in 1...7 {
      client.setData(String(repeating: "x", count: 50), for: key(number))
      simulation.advance(by: .seconds(2))
    }
    client.setData(String(repeating: "x", count: size), for: key(8))
    try save(client)
    expectEqual(problems(events), [])
    let contents = try simulation.run { try await store.load(.main) }
    expectEqual(contents.records.map(\.key), kept.map { #"query/Swift.String["text",\#($0)]"# })
    client.shutDown()
  }

  @Test("a store is asked once for how much it has room, when it is opened")
  func askedOnce() {
    let store = AskedStore()
    let client = QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    simulation.settle()
    for number in 1...3 { expectNil(client.data(for: key(number))) }
    expectEqual(store.count, 1)
    client.shutDown()
  }

  @Test("a store without any room says so", arguments: [Int.min, -1, 0, 64, 65])
  func noRoom(_ limit: Int) {
    expectEqual(
      DefaultsStore(DictionaryDefaults(), maxBytes: limit).byteLimit,
      limit == 65 ? 1 : 0
    )
  }
}

/// A store that counts how often it is asked for its limit.
private final class AskedStore: QueryStore {
  private let base = MemoryStore()
  private let asked = TestLock<Int>(0)

  var count: Int { asked.withLock { $0 } }

  var byteLimit: Int {
    asked.withLock { $0 += 1 }
    return .max
  }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    base.load(partition)
  }

  func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) async throws(QueryStoreError) {
    try base.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    base.wipe(partition)
  }
}

/// Defaults in memory.
private final class DictionaryDefaults: DefaultsStorage {
  private let values = TestLock<[String: Data]>([:])

  var storageIdentity: ObjectIdentifier { ObjectIdentifier(self) }

  func data(forKey name: String) -> Data? { values.withLock { $0[name] } }

  func set(_ data: Data?, forKey name: String) { values.withLock { $0[name] = data } }
}
