#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// What a store makes of its directory; `PowerCutTests` has what happens when calls fail.
struct FileStoreTests {
  let disk = SimulatedDisk()

  func store() -> FileStore {
    FileStore(directory: "/store", system: disk, waste: 100)
  }

  @Test func aStoreTouchesNothingBeforeItIsUsed() async throws {
    let store = store()
    expectEqual(disk.calls, [])
    try await expectEqual(store.shelf(), Shelf())
    expectEqual(disk.files.keys.sorted(), ["/store/lock"])
  }

  @Test func aBatchIsOneWriteAndOneSync() async throws {
    let store = store()
    try await store.write(.put(["a": "1", "b": "2"]))
    let before = disk.calls.count
    try await store.write(.put(["a": "3"], removing: ["b"]))
    expectEqual(disk.calls[before...].map { $0.split(separator: " ")[0] }, ["write", "sync"])
    try await store.write(ShelfChange())
    expectEqual(disk.calls.count, before + 2)
  }

  @Test func aReleasedPartitionHoldsNoFileAndIsReadAgain() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    await store.release(.main)
    await expectEmpty(store.partitions)
    try await store.write(.put(["b": "2"]))
    try await expectEqual(store.shelf().values, ["a": "1", "b": "2"])
    await store.release("another")
    await expectEqual(store.partitions.count, 1)
  }

  @Test func whatWasOnlyReadIsReleased() async throws {
    let first = store()
    for number in 0..<50 {
      try await first.write(.put(["a": "\(number)"]), to: StorePartition("p\(number)"))
    }
    await first.close()
    let store = store()
    for number in 0..<50 {
      let partition = StorePartition("p\(number)")
      try await expectEqual(store.shelf(partition).values, ["a": "\(number)"])
      try await expectEqual(store.load(["a"], of: partition).records.count, 1)
      await store.release(partition)
    }
    _ = try await store.shelf("nothing")
    await store.release("nothing")
    await expectEmpty(store.partitions)
    // The lock.
    expectEqual(disk.openFiles, 1)
  }

  @Test func aPartitionIsReleasedAfterItsFileWasRewritten() async throws {
    let store = store()
    var rewritings = 0
    for number in 0..<40 {
      try await store.write(.put(["a": "\(number)" + String(repeating: "x", count: 40)]))
      let count = disk.calls.filter { $0.hasPrefix("rename") }.count
      guard count > rewritings else { continue }
      rewritings = count
      await store.release(.main)
      expectEqual(disk.openFiles, 1)
    }
    #expect(rewritings > 3)
    try await expectEqual(store.shelf().values["a"]?.hasPrefix("39x"), true)
  }

  @Test func damageIsReportedOnceAlsoIfThePartitionWasReleasedInBetween() async throws {
    let first = store()
    try await first.write(.put(["a": "1"]))
    try await first.write(.put(["b": "2"]))
    await first.close()
    disk.change("/store/main@0.log") { $0[LogFormat.headerSize + 5] ^= 1 }
    let store = store()
    // Found by who cannot report it.
    try await store.write(ShelfChange().batch(0), to: .main)
    await store.release(.main)
    expectEqual(disk.openFiles, 1)
    try await expectEqual(store.load(.main).damage.count, 1)
    await store.release(.main)
    try await expectEqual(store.load(.main).damage, [])
  }

  @Test func theDirectoryIsListedOnce() async throws {
    let store = store()
    for number in 0..<20 {
      let partition = StorePartition("p\(number)")
      try await store.write(.put(["a": "1"]), to: partition)
      _ = try await store.wipe(partition)
      await store.release(partition)
      _ = try await store.shelf(partition)
    }
    expectEqual(disk.state.withLock { $0.listings }, 1)
  }

  @Test func aFileThatGoesWhileItIsNotOpenIsAnEmptyPartition() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    await store.release(.main)
    disk.removeFile("/store/main@0.log")
    try await expectEqual(store.shelf(), Shelf())
    try await store.write(.put(["b": "2"]))
    try await expectEqual(store.shelf().values, ["b": "2"])
  }

  // MARK: Partitions that are empty

  @Test func whatIsWipedAndReleasedLeavesNoFile() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    for number in 0..<20 {
      let partition = StorePartition("p\(number)")
      try await store.write(.put(["secret": "marker"]), to: partition)
      _ = try await store.wipe(partition)
      await store.release(partition)
    }
    expectEqual(disk.files.keys.sorted(), ["/store/lock", "/store/main@0.log", "/store/~@20.log"])
    expect(!containsMarker())
  }

  @Test(arguments: [false, true])
  func aGenerationThatHasEndedDoesNotComeAgainWithItsFile(_ isLaunched: Bool) async throws {
    var store = store()
    var generation: UInt64 = 0
    for _ in 0..<3 {
      try await store.write(ShelfChange.put(["a": "1"]).batch(generation), to: .main)
      let begun = try await store.wipe(.main)
      await store.release(.main)
      if isLaunched {
        disk.restart(.nothing)
        store = self.store()
      }
      try await expectEqual(store.load(.main).generation, begun)
      for late in 0...generation {
        await #expect {
          try await store.write(ShelfChange.put(["late": "save"]).batch(late), to: .main)
        } throws: {
          if case .superseded(begun)? = $0 as? QueryStoreError { true } else { false }
        }
      }
      generation = begun.number
    }
    // Nobody waits until it is on the disk that an empty file is gone.
    if !isLaunched { expectEqual(disk.files.keys.sorted(), ["/store/lock", "/store/~@3.log"]) }
    // Nor does another partition begin before: there is one number for all that have no file.
    try await expectEqual(store.load("other").generation.number, 3)
    try await expectEqual(store.wipe("other").number, 4)
  }

  @Test func aPartitionWhoseLastRecordWasRemovedLeavesNoFile() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    try await store.write(.remove("a"))
    await store.release(.main)
    expectEqual(disk.files.keys.sorted(), ["/store/lock"])
    try await store.write(ShelfChange.put(["b": "2"]).batch(0), to: .main)
    try await expectEqual(store.shelf(), Shelf(values: ["b": "2"]))
  }

  @Test func damageThatNobodyWasToldOfKeepsItsFile() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    await store.release(.main)
    disk.change("/store/main@0.log") { $0[LogFormat.headerSize + 30] ^= 1 }
    try await store.write(ShelfChange().batch(0), to: .main)
    await store.release(.main)
    #expect(disk.files.keys.contains("/store/main@0.log"))
    try await expectEqual(store.load(.main).damage.count, 1)
  }

  @Test(arguments: 0..<4)
  func aFileThatCannotGoIsReleasedAllTheSame(_ call: Int) async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    _ = try await store.wipe(.main)
    disk.fail(.denied, at: call)
    await store.release(.main)
    expectEqual(disk.openFiles, 1)
    try await expectEqual(store.load(.main).generation.number, 1)
    disk.restart(.nothing)
    try await expectEqual(self.store().load(.main).generation.number, 1)
  }

  @Test func aPartitionIsNotReleasedBeforeItsWipeIsComplete() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.fail(.denied, at: 0)
    await #expect(throws: QueryStoreError.self) { _ = try await store.wipe(.main) }
    await store.release(.main)
    try await expectEmpty(store.shelf().values)
  }

  @Test func theNameOfAFileIsDurableBeforeABatchIsAcknowledged() async throws {
    try await store().write(.put(["a": "1"]))
    disk.restart(.nothing)
    try await expectEqual(store().shelf().values, ["a": "1"])
    // A process that ended has renamed the file, and did not get so far as to make that durable.
    disk.fail(.full, at: 1)
    await #expect(throws: QueryStoreError.self) { _ = try await self.store().wipe(.main) }
    disk.endProcess()
    try await store().write(.put(["b": "2"]))
    disk.restart(.nothing)
    try await expectEqual(store().shelf(), Shelf(generation: 1, values: ["b": "2"]))
  }

  @Test func aSecondStoreOnTheDirectoryIsRefusedUntilTheFirstIsClosed() async throws {
    let first = store()
    try await first.write(.put(["a": "1"]))
    let second = store()
    await #expect { try await second.shelf() } throws: { isInUse($0) }
    await #expect { try await second.write(.put(["a": "2"])) } throws: { isInUse($0) }
    await first.close()
    try await expectEqual(second.shelf().values, ["a": "1"])
    await #expect { try await first.shelf() } throws: {
      if case .closed? = $0 as? QueryStoreError { true } else { false }
    }
  }

  @Test func aFileOfALaterVersionIsLeftAsItIs() async throws {
    try await store().write(.put(["a": "1"]))
    disk.endProcess()
    disk.makeLater("/store/main@0.log")
    let files = disk.files
    let store = store()
    for _ in 0..<2 {
      await #expect { try await store.shelf() } throws: { isOtherVersion($0) }
      await #expect {
        try await store.write(ShelfChange.put(["a": "2"]).batch(0), to: .main)
      } throws: {
        isOtherVersion($0)
      }
      await #expect { try await store.wipe(.main) } throws: { isOtherVersion($0) }
    }
    expectEqual(disk.files, files)
    try await expectEqual(store.shelf("other"), Shelf())
  }

  @Test func aFileOfTheFirstVersionIsOfAnotherVersionAndLeftAsItIs() async throws {
    try await store().write(.put(["a": "1"]))
    disk.endProcess()
    disk.change("/store/main@0.log") { $0 = fileOfVersionOne }
    let files = disk.files
    let store = store()
    await #expect { try await store.shelf() } throws: { isOtherVersion($0) }
    await #expect {
      try await store.write(ShelfChange.put(["a": "2"]).batch(0), to: .main)
    } throws: {
      isOtherVersion($0)
    }
    await #expect { try await store.wipe(.main) } throws: { isOtherVersion($0) }
    expectEqual(disk.files, files)
    let defaults = DictionaryDefaults()
    defaults.set(Data(fileOfVersionOne), forKey: "main")
    let small = DefaultsStore(defaults, prefix: "")
    await #expect { try await small.shelf() } throws: { isOtherVersion($0) }
    await #expect { _ = try await small.wipe(.main) } throws: { isOtherVersion($0) }
    expectEqual(defaults.data(forKey: "main"), Data(fileOfVersionOne))
  }

  @Test func damageIsReportedOnceAndRewrittenWithTheNextBatch() async throws {
    let first = store()
    try await first.write(.put(["a": "1"]))
    try await first.write(.put(["b": "2"]))
    try await first.write(.put(["c": "3"]))
    disk.endProcess()
    disk.change("/store/main@0.log") { $0[LogFormat.headerSize + 5] ^= 1 }
    let second = store()
    let contents = try await second.load(.main)
    expectEqual(contents.shelf.values, ["b": "2", "c": "3"])
    expectEqual(contents.damage, [StoreDamage(place: "main@0.log at 32", byteCount: 34)])
    try await expectEqual(second.load(.main).damage, [])
    try await second.write(.put(["d": "4"]))
    disk.endProcess()
    let third = try await store().load(.main)
    expectEqual(third.shelf.values, ["b": "2", "c": "3", "d": "4"])
    expectEqual(third.damage, [])
  }

  @Test func damageThatHappensWhileTheStoreIsOpenIsFoundWhereItIsRead() async throws {
    let store = store()
    try await store.write(.put(["a": "1", "b": "2"]))
    try await store.write(.put(["c": "3"]))
    disk.change("/store/main@0.log") { $0[LogFormat.headerSize + 30] ^= 1 }
    try await expectEqual(store.load(["c"], of: .main).damage, [])
    let contents = try await store.load(["a", "c", "b"], of: .main)
    expectEqual(contents.shelf.values, ["c": "3"])
    expectEqual(contents.damage.map(\.place), ["main@0.log at 32"])
  }

  @Test func severalRecordsOfABatchAreReadOnce() async throws {
    let store = store()
    let values = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", "\($0)") })
    try await store.write(.put(values))
    try await store.write(.put(["other": "1"]))
    let before = disk.state.withLock { $0.reads }
    let contents = try await store.load(values.keys + ["other", "none", "k0"], of: .main)
    expectEqual(contents.shelf.values, values.merging(["other": "1"]) { $1 })
    expectEqual(contents.records.count, 101)
    expectEqual(disk.state.withLock { $0.reads } - before, 2)
  }

  @Test func aFileIsRewrittenWhenHalfOfItIsNotNeeded() async throws {
    let store = store()
    var sizes: [Int] = []
    for number in 0..<40 {
      try await store.write(.put(["a": String(repeating: "x", count: 50), "b": "\(number)"]))
      sizes.append(disk.files["/store/main@0.log"]?.count ?? 0)
    }
    #expect(sizes.max() ?? 0 < 500)
    expectEqual(disk.files.keys.sorted(), ["/store/lock", "/store/main@0.log"])
    #expect(disk.calls.filter { $0.hasPrefix("rename") }.count > 3)
    disk.restart(.nothing)
    try await expectEqual(self.store().shelf().values["b"], "39")
  }

  @Test func aFileThatCannotBeRewrittenIsUsedAsItIsAndSeldomTried() async throws {
    let store = store()
    var tries = 0
    disk.failAll(.full, of: "create /store/main@0.log.new")
    for number in 0..<60 {
      try await store.write(.put(["a": "\(number)"]))
      tries = disk.calls.filter { $0.hasPrefix("create /store/main@0.log.new") }.count
    }
    #expect((2...10).contains(tries))
    try await expectEqual(store.shelf().values, ["a": "59"])
    disk.restart(.nothing)
    try await expectEqual(self.store().shelf().values, ["a": "59"])
  }

  /// Lets a rewriting fail halfway, and the removal of what it has left, too.
  private func storeWithLeftOver() async throws -> FileStore {
    func write(_ store: FileStore, on disk: SimulatedDisk, _ count: Int = .max) async throws {
      for number in 0..<9 where disk.calls.count < count {
        try await store.write(.put(["a": "secret \(number)" + String(repeating: "x", count: 30)]))
      }
    }
    try await write(store(), on: disk)
    let rename = try #require(disk.calls.firstIndex { $0.hasPrefix("rename") })
    disk.restart(.nothing)
    let other = SimulatedDisk()
    other.fail(.denied, at: rename)
    other.fail(.denied, at: rename + 1)
    let store = FileStore(directory: "/store", system: other, waste: 100)
    try await write(store, on: other, rename + 2)
    expectEqual(other.calls[rename + 1], "remove /store/main@0.log.new")
    #expect(other.files.keys.contains("/store/main@0.log.new"))
    disk.state.withLock { state in other.state.withLock { state = $0 } }
    return store
  }

  @Test func aCopyThatAFailedRewritingHasLeftDoesNotOutliveAWipe() async throws {
    let store = try await storeWithLeftOver()
    _ = store
    disk.endProcess()
    disk.state.withLock { $0.lasting = ("remove", .full) }
    let next = self.store()
    await #expect { try await next.wipe(.main) } throws: {
      if case .full? = $0 as? QueryStoreError { true } else { false }
    }
    try await expectEmpty(next.shelf().values)
    disk.failAll(nil)
    _ = try await next.wipe(.main)
    let secret = Array("secret".utf8)
    #expect(disk.files.values.allSatisfy { bytes in !bytes.contains(secret) })
    disk.restart(.nothing)
    #expect(disk.files.values.allSatisfy { bytes in !bytes.contains(secret) })
  }

  @Test func whatAFailedWipeCouldNotRemoveIsRemovedByTheNextUse() async throws {
    _ = try await storeWithLeftOver()
    disk.endProcess()
    disk.state.withLock { $0.lasting = ("remove", .full) }
    let next = self.store()
    await #expect(throws: QueryStoreError.self) { try await next.wipe(.main) }
    let secret = Array("secret".utf8)
    #expect(!disk.files.values.allSatisfy { bytes in !bytes.contains(secret) })
    disk.failAll(nil)
    _ = try await next.load(.main)
    #expect(disk.files.values.allSatisfy { bytes in !bytes.contains(secret) })
  }

  @Test func aCopyOfAnEarlierGenerationIsRemovedByTheNextLaunch() async throws {
    _ = try await storeWithLeftOver()
    disk.endProcess()
    // As a version that did not know of it has wiped.
    disk.state.withLock { state in
      state.names["/store/main@1.log"] = state.names.removeValue(forKey: "/store/main@0.log")
    }
    _ = try await store().load(.main)
    expectEqual(disk.files.keys.sorted(), ["/store/lock", "/store/main@1.log"])
  }

  /// The store that could neither rewrite its file nor remove what that has left wipes it itself.
  @Test func theStoreThatLeftACopyRemovesItWithAWipe() async throws {
    let store = store()
    // Both the renaming and the removal.
    disk.failAll(.denied, of: "re")
    for number in 0..<9 where !disk.calls.contains(where: { $0.hasPrefix("rename") }) {
      try await store.write(.put(["a": "marker \(number)" + String(repeating: "x", count: 30)]))
    }
    #expect(disk.files.keys.contains("/store/main@0.log.new"))
    disk.failAll(.full, of: "remove")
    await #expect { try await store.wipe(.main) } throws: {
      if case .full? = $0 as? QueryStoreError { true } else { false }
    }
    try await expectEmpty(store.shelf().values)
    disk.failAll(nil)
    _ = try await store.wipe(.main)
    #expect(!disk.files.keys.contains("/store/main@0.log.new"))
    disk.restart(.nothing)
    #expect(!disk.files.keys.contains("/store/main@0.log.new"))
    expect(!containsMarker())
  }

  /// A file of an earlier generation that could not be removed when the partition was opened.
  @Test(arguments: [false, true])
  func aFileOfAnEarlierGenerationDoesNotOutliveAWipe(_ isLaunched: Bool) async throws {
    let former = self.store()
    try await former.write(.put(["a": "marker"]))
    let old = disk.files["/store/main@0.log"] ?? []
    _ = try await former.wipe(.main)
    try await former.write(.put(["b": "2"]))
    await former.close()
    _ = try disk.open("/store/main@0.log", .creating)
    disk.change("/store/main@0.log") { $0 = old }
    try disk.syncDirectory("/store")
    let store = self.store()
    disk.failAll(.full, of: "remove")
    if isLaunched {
      try await expectEqual(store.shelf(), Shelf(generation: 1, values: ["b": "2"]))
    }
    await #expect { try await store.wipe(.main) } throws: {
      if case .full? = $0 as? QueryStoreError { true } else { false }
    }
    try await expectEmpty(store.shelf().values)
    disk.failAll(nil)
    _ = try await store.wipe(.main)
    disk.restart(.nothing)
    expectEqual(disk.files.keys.filter { $0.contains("main") }.count, 1)
    expect(!containsMarker())
  }

  @Test func aReadOnlyDiskIsReadAndRefusesBatches() async throws {
    try await store().write(.put(["a": "1"]))
    disk.endProcess()
    disk.failAll(.denied)
    let store = store()
    try await expectEqual(store.shelf().values, ["a": "1"])
    await #expect { try await store.write(.put(["a": "2"])) } throws: { isDenied($0) }
    try await expectEqual(store.load(["a"], of: .main).shelf.values, ["a": "1"])
    disk.failAll(nil)
    try await store.write(.put(["a": "2"]))
    try await expectEqual(store.shelf().values, ["a": "2"])
  }

  @Test func anEmptyReadOnlyDiskIsDenied() async throws {
    disk.failAll(.denied)
    await #expect { try await self.store().shelf() } throws: { isDenied($0) }
  }

  @Test func aBatchThatFindsTheDiskFullLeavesNoBytesBehind() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    let size = disk.files["/store/main@0.log"]?.count
    disk.fail(.fullAfter(20))
    await #expect { try await store.write(.put(["a": "2"])) } throws: {
      if case .full? = $0 as? QueryStoreError { true } else { false }
    }
    expectEqual(disk.files["/store/main@0.log"]?.count, size)
    try await expectEqual(store.shelf().values, ["a": "1"])
  }

  @Test(arguments: 0..<5)
  func aWipeThatFailsShowsNothingAndIsMadeUpFor(_ call: Int) async throws {
    try await store().write(.put(["secret": "marker"]))
    disk.endProcess()
    let store = store()
    disk.fail(.full, at: call)
    do {
      try await expectEqual(store.wipe(.main).number, 1)
      expectEqual(call, 4, "there are four calls: name, directory, length, sync")
    } catch {
      #expect(call < 4)
    }
    try await expectEqual(store.shelf(), Shelf(generation: 1))
    await #expect {
      try await store.write(ShelfChange.put(["late": "save"]).batch(0), to: .main)
    } throws: {
      if case .superseded(let current)? = $0 as? QueryStoreError {
        current.number == 1
      } else {
        false
      }
    }
    expect(!containsMarker())
  }

  @Test(arguments: 1..<4)
  func theNextLaunchMakesUpForAWipe(_ call: Int) async throws {
    try await store().write(.put(["secret": "marker"]))
    disk.endProcess()
    disk.fail(.powerCut(after: 0), at: call)
    await #expect(throws: QueryStoreError.self) { _ = try await self.store().wipe(.main) }
    // The name had been changed, and the power cut has not undone it.
    disk.restart(.names)
    expect(containsMarker())
    try await expectEqual(store().shelf(), Shelf(generation: 1))
    expect(!containsMarker())
  }

  @Test func aWipeThatCannotEvenOpenTheFileComesBeforeItIsRead() async throws {
    let other = self.store()
    try await other.write(.put(["secret": "marker"]))
    let store = store()
    await #expect { _ = try await store.wipe(.main) } throws: { isInUse($0) }
    await other.close()
    try await expectEqual(store.shelf(), Shelf(generation: 1))
    expect(!containsMarker())
  }

  @Test func filesOfEarlierGenerationsThatACopyBroughtBackAreRemoved() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    let old = disk.files["/store/main@0.log"] ?? []
    _ = try await store.wipe(.main)
    try await store.write(.put(["b": "2"]))
    await store.close()
    _ = try disk.open("/store/main@0.log", .creating)
    disk.change("/store/main@0.log") { $0 = old }
    try await expectEqual(self.store().shelf(), Shelf(generation: 1, values: ["b": "2"]))
    expectEqual(disk.files.keys.sorted(), ["/store/lock", "/store/main@1.log"])
  }

  /// Values in memory.
  private final class DictionaryDefaults: DefaultsStorage {
    private let values = Mutex<[String: Data]>([:])

    var storageIdentity: ObjectIdentifier { ObjectIdentifier(self) }
    func data(forKey name: String) -> Data? { values.withLock { $0[name] } }
    func set(_ data: Data?, forKey name: String) { values.withLock { $0[name] = data } }
  }

  private func containsMarker() -> Bool {
    disk.state.withLock { state in
      state.nodes.values.contains { node in
        [node.bytes, node.durable].contains {
          String(decoding: $0, as: UTF8.self).contains("marker")
        }
      }
    }
  }

  private func isInUse(_ error: any Error) -> Bool {
    if case .inUse? = error as? QueryStoreError { true } else { false }
  }

  private func isOtherVersion(_ error: any Error) -> Bool {
    if case .otherVersion? = error as? QueryStoreError { true } else { false }
  }

  private func isDenied(_ error: any Error) -> Bool {
    if case .denied? = error as? QueryStoreError { true } else { false }
  }
}
