import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// A store on another one, as an app would write it.
private final class LoggedStore: QueryStore {
  private let base: any QueryStore

  init(base: any QueryStore) {
    self.base = base
  }

  var byteLimit: Int { base.byteLimit }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    try await base.load(partition)
  }

  func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) async throws(QueryStoreError) {
    try await base.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    try await base.wipe(partition)
  }
}

private struct DictionaryDefaults: DefaultsStorage {
  func data(forKey name: String) -> Data? { nil }
  func set(_ data: Data?, forKey name: String) {}
}

/// Stores in the shapes in which people use them.
struct StoreSamples {
  @Test func aStoreIsWrittenLoadedAndWiped() async throws {
    let directory = URL.temporaryDirectory.appending(path: "StoreSamples-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = FileStore(directory: directory, protection: .completeUnlessOpen)
    var contents = try await store.load("account 1")
    expectEqual(contents.generation, .first)
    let record = StoreRecord(key: "users", value: Data("[]".utf8))
    var batch = StoreBatch(generation: contents.generation, puts: [record])
    try await store.write(batch, to: "account 1")
    contents = try await store.load(["users", "none"], of: "account 1")
    expectEqual(contents.records, [record])
    expectEmpty(contents.damage)
    let next = try await store.wipe("account 1")
    expectEqual(next, StoreGeneration(number: 1))
    do throws(QueryStoreError) {
      batch.removals = ["users"]
      try await store.write(batch, to: "account 1")
      Issue.record("a late save was taken")
    } catch {
      switch error {
      case .superseded(let current): expectEqual(current, next)
      case .full, .denied, .inUse, .otherVersion, .closed, .filesReplaced, .failed:
        Issue.record(error)
      }
    }
    await store.release("account 1")
    await store.suspend()
    try await store.resume()
    try await expectEmpty(store.load("account 1").records)
    await store.close()
    let closed = QueryStoreError.closed
    expect("\(closed)" != "\(QueryStoreError.filesReplaced)")
  }

  @Test func aStoreOfAnAppKeepsTheContract() async {
    await QueryStoreContract(keepsRecords: false) { _ in LoggedStore(base: MemoryStore()) }.check()
    let contract = QueryStoreContract { place in
      FileStore(directory: place.directory)
    } close: {
      await $0.close()
    }
    await expectEqual(contract.violations().map(\.rule), [])
    #expect(StoreRule.removes.description.hasPrefix("A removal"))
  }

  @Test func defaultsAreAnyStorage() async throws {
    let store = DefaultsStore(DictionaryDefaults(), prefix: "App.", maxBytes: 1 << 16)
    try await expectEmpty(store.load(.main).records)
    #expect(store.byteLimit < 1 << 16)
    expectEqual(LoggedStore(base: store).byteLimit, store.byteLimit)
    expectEqual(MemoryStore().byteLimit, .max)
  }
}
