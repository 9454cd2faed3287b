#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// The built-in stores keep the contract, and each mistake is caught by the rule that it breaks.
struct QueryStoreContractTests {
  @Test func memoryKeepsTheContract() async {
    await QueryStoreContract(keepsRecords: false) { _ in MemoryStore() }.check()
  }

  @Test func filesKeepTheContract() async {
    await QueryStoreContract {
      FileStore(directory: $0.directory.appending(path: "new/directory"))
    } close: {
      await $0.close()
    }.check()
  }

  @Test(
    arguments: zip(
      BrokenStore.Mistake.allCases,
      [
        StoreRule.startsEmpty, .keepsBytes, .replaces, .removes, .lastPutCounts, .loadsKeys,
        .keepsApart,
        .showsWholeBatches, .survivesCancellation, .wipes, .beginsGenerations,
        .refusesOtherGenerations, .staysAsReleased, .keepsRecords, .keepsWipes,
      ]
    )
  )
  func aMistakeIsCaughtByTheRuleThatItBreaks(
    _ mistake: BrokenStore.Mistake,
    _ rule: StoreRule
  ) async {
    let memories = Mutex<[StorePlace: MemoryStore]>([:])
    let places = Mutex<[ObjectIdentifier: StorePlace]>([:])
    let contract = QueryStoreContract { place in
      let memory = memories.withLock { memories in
        memories[place] = memories[place] ?? MemoryStore()
        return memories[place] ?? MemoryStore()
      }
      let store = BrokenStore(mistake, memory)
      places.withLock { $0[ObjectIdentifier(store)] = place }
      return store
    } close: { store in
      let left = try await store.left()
      let place = places.withLock { $0.removeValue(forKey: ObjectIdentifier(store)) }
      if let place { memories.withLock { $0[place] = left } }
    }
    let violations = await contract.violations()
    #expect(violations.contains { $0.rule == rule }, "\(violations)")
    #expect(Set(violations.map(\.rule)).count <= 5, "\(violations)")
  }

  @Test func aStoreMayCloseWhenItIsReleased() async {
    let places = Mutex<[StorePlace: ExclusiveStore.Shared]>([:])
    let contract = QueryStoreContract { place in
      let shared = places.withLock { places in
        let shared = places[place] ?? ExclusiveStore.Shared()
        places[place] = shared
        return shared
      }
      return try ExclusiveStore(shared)
    }
    let violations = await contract.violations()
    expectEqual(violations, [])
  }

  @Test func everyRuleCanFail() {
    expectEqual(BrokenStore.Mistake.allCases.count, StoreRule.allCases.count)
  }

  @Test func aViolationSaysWhichRuleAndWhatWasSeen() async {
    let contract = QueryStoreContract(keepsRecords: false) { _ in
      BrokenStore(.forgetsRemovals, MemoryStore())
    }
    await expectEqual(
      contract.violations().map(\.description).first,
      """
      A removal removes its record, and is no error where there is none. \
      But after removing a, there was "a" = "1" too many.
      """
    )
  }

  @Test func aStoreThatThrowsIsReported() async {
    struct Refusal: Error {}
    let contract = QueryStoreContract<MemoryStore>(keepsRecords: false) { _ in throw Refusal() }
    let violations = await contract.violations()
    expectEqual(violations.map(\.rule), StoreRule.allCases.dropLast(2))
    #expect(violations.allSatisfy { $0.seen == "it threw: Refusal()" })
  }
}

/// A store that can be opened once at a time, until it is released.
private final class ExclusiveStore: QueryStore {
  final class Shared: Sendable {
    let memory = MemoryStore()
    let isOpen = Mutex(false)
  }

  private let shared: Shared

  init(_ shared: Shared) throws(QueryStoreError) {
    let wasOpen = shared.isOpen.withLock { isOpen in
      defer { isOpen = true }
      return isOpen
    }
    if wasOpen { throw .inUse }
    self.shared = shared
  }

  deinit {
    shared.isOpen.withLock { $0 = false }
  }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    shared.memory.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    try shared.memory.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    shared.memory.wipe(partition)
  }
}
