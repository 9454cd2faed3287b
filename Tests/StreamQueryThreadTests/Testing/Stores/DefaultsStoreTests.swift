import Dispatch
import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// Defaults that are a dictionary.
final class FakeDefaults: DefaultsStorage {
  private let values = Mutex<[String: Data]>([:])

  var storageIdentity: ObjectIdentifier { ObjectIdentifier(self) }
  var names: [String] { values.withLock { $0.keys.sorted() } }

  func data(forKey name: String) -> Data? { values.withLock { $0[name] } }
  func set(_ data: Data?, forKey name: String) { values.withLock { $0[name] = data } }
}

/// The defaults of the system, which are also there on Linux.
struct SuiteDefaults: DefaultsStorage {
  var name: String

  private var defaults: UserDefaults { UserDefaults(suiteName: name) ?? .standard }

  func data(forKey name: String) -> Data? { defaults.data(forKey: name) }
  func set(_ data: Data?, forKey name: String) { defaults.set(data, forKey: name) }
  func remove() { UserDefaults.standard.removePersistentDomain(forName: name) }
}

/// One of several objects that are the same defaults.
final class SharedDefaults: DefaultsStorage {
  private let values: FakeDefaults

  init(_ values: FakeDefaults) { self.values = values }

  func data(forKey name: String) -> Data? { values.data(forKey: name) }
  func set(_ data: Data?, forKey name: String) { values.set(data, forKey: name) }
}

/// Defaults that do something else before they answer.
final class HookedDefaults: DefaultsStorage {
  private let values = FakeDefaults()
  private let hook: @Sendable () -> Void

  var storageIdentity: ObjectIdentifier { ObjectIdentifier(self) }

  init(_ hook: @escaping @Sendable () -> Void) { self.hook = hook }

  func data(forKey name: String) -> Data? {
    hook()
    return values.data(forKey: name)
  }

  func set(_ data: Data?, forKey name: String) {
    hook()
    values.set(data, forKey: name)
  }
}

/// A thread of its own, for what waits for another one.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "OwnThread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

struct DefaultsStoreTests {
  @Test func defaultsKeepTheContract() async {
    let places = Mutex<[StorePlace: FakeDefaults]>([:])
    await QueryStoreContract { place in
      let defaults = places.withLock { places in
        let defaults = places[place] ?? FakeDefaults()
        places[place] = defaults
        return defaults
      }
      return DefaultsStore(defaults, maxBytes: 1 << 20)
    }.check()
  }

  @Test func theDefaultsOfTheSystemKeepTheContract() async {
    let names = Mutex<Set<String>>([])
    await QueryStoreContract { place in
      names.withLock { _ = $0.insert(place.name) }
      #if canImport(Darwin)
      return DefaultsStore(suiteName: place.name, maxBytes: 1 << 20)
      #else
      return DefaultsStore(SuiteDefaults(name: place.name), maxBytes: 1 << 20)
      #endif
    }.check()
    for name in names.withLock({ $0 }) { SuiteDefaults(name: name).remove() }
  }

  @Test(arguments: [false, true])
  func twoStoresOnTheSameDefaultsLoseNothingOfEachOther(areTwoObjects: Bool) async throws {
    let defaults = FakeDefaults()
    let stores =
      areTwoObjects
      ? [DefaultsStore(SharedDefaults(defaults)), DefaultsStore(SharedDefaults(defaults))]
      : [DefaultsStore(defaults), DefaultsStore(defaults)]
    try await withThrowingTaskGroup { group in
      for (place, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<200 {
            let record = StoreRecord(key: "\(place) \(number)", value: Data([1]))
            try await store.write(StoreBatch(generation: .first, puts: [record]), to: .main)
          }
        }
      }
      try await group.waitForAll()
    }
    try await expectEqual(stores[0].load(.main).records.count, 400)
  }

  @Test func aStorageMayWaitForAnotherThreadThatUsesAStore() async throws {
    let record = StoreRecord(key: "a", value: Data([1]))
    let batch = StoreBatch(generation: .first, puts: [record])
    let (outer, inner) = (OwnThread(), OwnThread())
    let other = DefaultsStore(FakeDefaults())
    let calls = Mutex(0)
    let store = DefaultsStore(
      HookedDefaults {
        let done = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: inner) {
          try await other.write(batch, to: .main)
          done.signal()
        }
        // Under a lock that both stores take, this would never return.
        done.wait()
        calls.withLock { $0 += 1 }
      }
    )
    try await Task.detached(executorPreference: outer) {
      try await store.write(batch, to: .main)
    }.value
    // The value, the generation of partitions without one, and the new value.
    expectEqual(calls.withLock { $0 }, 3)
    try await expectEqual(other.load(.main).records, [record])
  }

  @Test func aPartitionThatGrowsTooLargeIsFullAndKeepsWhatItHas() async throws {
    let store = DefaultsStore(FakeDefaults(), maxBytes: 200)
    let small = StoreRecord(key: "a", value: Data(count: 100))
    try await store.write(StoreBatch(generation: .first, puts: [small]), to: .main)
    let large = StoreRecord(key: "b", value: Data(count: 100))
    await #expect {
      try await store.write(StoreBatch(generation: .first, puts: [large]), to: .main)
    } throws: {
      if case .full? = $0 as? QueryStoreError { true } else { false }
    }
    try await expectEqual(store.load(.main).records, [small])
    _ = try await store.wipe(.main)
    try await expectEqual(store.load(.main).records, [])
  }

  @Test func whatIsWipedAndReleasedLeavesNoValue() async throws {
    let defaults = FakeDefaults()
    let store = DefaultsStore(defaults, prefix: "p.")
    let record = StoreRecord(key: "a", value: Data([1]))
    for number in 0..<20 {
      let partition = StorePartition("\(number)")
      let generation = try await store.load(partition).generation
      try await store.write(StoreBatch(generation: generation, puts: [record]), to: partition)
      await store.release(partition)
      try await expectEqual(store.load(partition).records, [record])
      let begun = try await store.wipe(partition)
      await store.release(partition)
      #expect(try await DefaultsStore(defaults, prefix: "p.").load(partition).generation >= begun)
      await #expect(throws: QueryStoreError.self) {
        try await store.write(StoreBatch(generation: generation, puts: [record]), to: partition)
      }
      // Whoever looks at it may use it: it has a value until it is released again.
      expectEqual(defaults.names, ["p.\(number)", "p.~"])
      await store.release(partition)
    }
    expectEqual(defaults.names, ["p.~"])
  }

  @Test(arguments: [0, 1, 300])
  func changedBytesAreReportedAndNeverAnotherValue(wipes: Int) async throws {
    let defaults = FakeDefaults()
    let store = DefaultsStore(defaults, prefix: "p.")
    let records = ["a", "b"].map { StoreRecord(key: $0, value: Data($0.utf8)) }
    var generation = StoreGeneration.first
    for _ in 0..<wipes { generation = try await store.wipe(.main) }
    // Two batches, of which the value has one frame all the same.
    for record in records {
      try await store.write(StoreBatch(generation: generation, puts: [record]), to: .main)
    }
    expectEqual(defaults.names, ["p.main"])
    let whole = try #require(defaults.data(forKey: "p.main"))
    for place in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[place] ^= 1 << bit
        defaults.set(changed, forKey: "p.main")
        let store = DefaultsStore(defaults, prefix: "p.")
        let contents = try await store.load(.main)
        // The header comes first: a changed bit in it costs no record.
        expectEqual(contents.records, place < 32 ? records : [])
        expectEqual(contents.generation, generation)
        expect(!contents.damage.isEmpty)
        // Once.
        try await expectEmpty(store.load(.main).damage)
      }
    }
    for count in 0..<whole.count {
      defaults.set(whole.prefix(count), forKey: "p.main")
      try await expectEqual(store.load(.main).records, [])
    }
  }

  @Test func damageThatABatchReplacesIsReportedByTheNextRead() async throws {
    let defaults = FakeDefaults()
    let store = DefaultsStore(defaults, prefix: "p.")
    let record = StoreRecord(key: "a", value: Data([1]))
    try await store.write(StoreBatch(generation: .first, puts: [record]), to: .main)
    var changed = try #require(defaults.data(forKey: "p.main"))
    changed[changed.count - 1] ^= 1
    defaults.set(changed, forKey: "p.main")
    try await store.write(StoreBatch(generation: .first, puts: [record]), to: .main)
    let contents = try await store.load(.main)
    expect(contents.records == [record] && contents.damage.count == 1)
    try await expectEmpty(store.load(.main).damage)
  }
}
