#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// The directory of a store that has it open is removed, moved or replaced.
struct DisplacedStoreTests {
  let disk = SimulatedDisk()

  func store() -> FileStore {
    FileStore(directory: "/store", system: disk, waste: 100)
  }

  /// What happens to the directory.
  enum Accident: CaseIterable {
    case isRemoved
    case isMoved
    case isReplacedByAnEmptyOne
    case losesItsLock
    case losesTheFile
    case losesAllFiles
  }

  private func happen(_ accident: Accident) throws {
    switch accident {
    case .isRemoved: disk.removeDirectory("/store")
    case .isMoved: disk.moveDirectory("/store", to: "/elsewhere")
    case .isReplacedByAnEmptyOne:
      disk.moveDirectory("/store", to: "/elsewhere")
      try disk.createDirectory("/store")
    case .losesItsLock: disk.removeFile("/store/lock")
    case .losesTheFile: disk.removeFile("/store/main@0.log")
    case .losesAllFiles:
      for name in disk.files.keys { disk.removeFile(name) }
    }
  }

  private func expectFilesReplaced(
    _ body: () async throws -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    await #expect(sourceLocation: location) {
      try await body()
    } throws: {
      if case .filesReplaced? = $0 as? QueryStoreError { true } else { false }
    }
  }

  @Test(arguments: Accident.allCases)
  func theNextSaveFailsAndTheOneAfterItKeepsEverything(_ accident: Accident) async throws {
    let store = store()
    try await store.write(.put(["a": "1", "b": "1"]))
    try await store.write(.put(["a": "2"], removing: ["b"]))
    try await store.write(.put(["k": "other"]), to: "other")
    try happen(accident)
    await expectFilesReplaced { try await store.write(.put(["c": "lost"])) }
    // At once, in case that the process ends before the next call.
    #expect(disk.files.keys.contains("/store/main@0.log"))
    #expect(disk.files.keys.contains("/store/other@0.log"))
    try await expectEqual(store.shelf().values, ["a": "2"])
    try await store.write(.put(["c": "3"]))
    try await store.write(.put(["l": "more"]), to: "other")
    try await expectEqual(store.shelf().values, ["a": "2", "c": "3"])
    disk.restart(.nothing)
    let next = self.store()
    try await expectEqual(next.shelf().values, ["a": "2", "c": "3"])
    try await expectEqual(next.shelf("other").values, ["k": "other", "l": "more"])
  }

  @Test func whatWasRemovedComesBackWithItsLock() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    await expectFilesReplaced { try await store.write(.put(["b": "2"])) }
    let second = self.store()
    await #expect {
      try await second.shelf()
    } throws: {
      if case .inUse? = $0 as? QueryStoreError { true } else { false }
    }
    expectEqual(disk.openFiles, 2)
  }

  @Test func aDirectoryThatSomebodyElseHasTakenIsInUseUntilItIsFree() async throws {
    let store = store()
    try await store.write(.put(["a": "1", "b": "1"]))
    disk.removeDirectory("/store")
    let second = self.store()
    try await second.write(.put(["b": "theirs", "c": "theirs"]))
    for _ in 0..<2 {
      await #expect {
        try await store.write(ShelfChange.put(["d": "1"]).batch(0), to: .main)
      } throws: {
        if case .inUse? = $0 as? QueryStoreError { true } else { false }
      }
    }
    try await expectEqual(second.shelf().values, ["b": "theirs", "c": "theirs"])
    await second.close()
    // Nothing that anybody has acknowledged is lost; of one key, this store's is newer for it.
    try await store.write(.put(["d": "1"]))
    try await expectEqual(store.shelf().values, ["a": "1", "b": "1", "c": "theirs", "d": "1"])
  }

  @Test func whatWasWipedInTheDirectoryThatCameStaysWiped() async throws {
    let store = store()
    try await store.write(.put(["a": "old"]))
    disk.removeDirectory("/store")
    let second = self.store()
    try await expectEqual(second.wipe(.main).number, 1)
    try await second.write(.put(["b": "new"]))
    await second.close()
    await expectFilesReplaced {
      try await store.write(ShelfChange.put(["a": "old"]).batch(0), to: .main)
    }
    await #expect {
      try await store.write(ShelfChange.put(["a": "old"]).batch(0), to: .main)
    } throws: {
      guard case .superseded(let current)? = $0 as? QueryStoreError else { return false }
      return current.number == 1
    }
    try await expectEqual(store.shelf(), Shelf(generation: 1, values: ["b": "new"]))
  }

  @Test func whatThisStoreHasWipedDoesNotComeBackWithADirectory() async throws {
    let store = store()
    try await store.write(.put(["a": "marker"]))
    let former = disk.files["/store/main@0.log"] ?? []
    _ = try await store.wipe(.main)
    try await store.write(.put(["b": "2"]))
    disk.removeDirectory("/store")
    try disk.createDirectory("/store")
    _ = try disk.open("/store/main@0.log", .creating)
    disk.change("/store/main@0.log") { $0 = former }
    await expectFilesReplaced { try await store.write(.put(["c": "3"])) }
    try await store.write(.put(["c": "3"]))
    disk.restart(.nothing)
    try await expectEqual(self.store().shelf(), Shelf(generation: 1, values: ["b": "2", "c": "3"]))
    #expect(!disk.files.keys.contains("/store/main@0.log"))
  }

  @Test(arguments: Accident.allCases)
  func aWipeErasesWhatIsOpenAndBeginsItsGeneration(_ accident: Accident) async throws {
    let store = store()
    try await store.write(.put(["secret": "marker"]))
    try await store.write(.put(["k": "other"]), to: "other")
    try happen(accident)
    try await expectEqual(store.wipe(.main).number, 1)
    try await expectEqual(store.shelf(), Shelf(generation: 1))
    let bytes = disk.state.withLock { $0.nodes.values.map(\.bytes) }
    let holdsMarker = bytes.contains { String(decoding: $0, as: UTF8.self).contains("marker") }
    expect(!holdsMarker)
    try await store.write(.put(["l": "more"]), to: "other")
    disk.restart(.nothing)
    let next = self.store()
    try await expectEqual(next.shelf(), Shelf(generation: 1))
    try await expectEqual(next.shelf("other").values, ["k": "other", "l": "more"])
  }

  @Test func aFirstBatchEmptiesNoFileOfTheDirectoryThatCame() async throws {
    let store = store()
    try await expectEqual(store.shelf(), Shelf())
    disk.removeDirectory("/store")
    let second = self.store()
    try await second.write(.put(["a": "theirs"]))
    await second.close()
    await expectFilesReplaced { try await store.write(.put(["b": "2"])) }
    try await store.write(.put(["b": "2"]))
    try await expectEqual(store.shelf().values, ["a": "theirs", "b": "2"])
  }

  @Test func aPartitionThatIsOpenedThenIsThatOfTheDirectoryThatCame() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    let second = self.store()
    try await second.write(.put(["k": "theirs"]), to: "other")
    await second.close()
    try await expectEqual(store.shelf("other").values, ["k": "theirs"])
    // And what was open is there again.
    #expect(disk.files.keys.contains("/store/main@0.log"))
  }

  @Test func endedAccountsStayEnded() async throws {
    let store = store()
    _ = try await store.wipe("ended")
    await store.release("ended")
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    await expectFilesReplaced { try await store.write(.put(["a": "2"])) }
    disk.restart(.nothing)
    try await expectEqual(self.store().load("ended").generation.number, 1)
  }

  /// Every call that changes something fails once while the directory is created anew.
  @Test func aDirectoryThatCannotBeCreatedAnewIsWhenItCan() async throws {
    var isOver = false
    for call in 0..<40 where !isOver {
      let disk = SimulatedDisk()
      let store = FileStore(directory: "/store", system: disk, waste: 100)
      try await store.write(.put(["a": "1"]))
      try await store.write(.put(["k": "1"]), to: "other")
      let batch = ShelfChange.put(["b": "2"]).batch(0)
      disk.removeDirectory("/store")
      disk.fail(.full, at: call)
      var tries = 0
      while (try? await store.write(batch, to: .main)) == nil, tries < 5 { tries += 1 }
      isOver = disk.state.withLock { state in
        defer { state.faults = [:] }
        return state.faults.keys.allSatisfy { $0 >= state.calls.count }
      }
      #expect(tries <= 2, "call \(call)")
      try await store.write(.put(["l": "2"]), to: "other")
      disk.restart(.nothing)
      let next = FileStore(directory: "/store", system: disk, waste: 100)
      try await expectEqual(next.shelf().values, ["a": "1", "b": "2"], "call \(call)")
      try await expectEqual(next.shelf("other").values, ["k": "1", "l": "2"], "call \(call)")
    }
    expect(isOver)
  }

  @Test func whatIsReleasedOrSuspendedThenIsNotLost() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    await store.release(.main)
    try await expectEqual(store.shelf().values, ["a": "1"])
    disk.removeDirectory("/store")
    await store.suspend()
    expectEqual(disk.openFiles, 0)
    try await store.resume()
    try await expectEqual(store.shelf().values, ["a": "1"])
  }

  @Test func aStoreThatCannotBeResumedLocksNothing() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    disk.failAll(.full, of: "write")
    await store.suspend()
    await #expect(throws: QueryStoreError.self) { try await store.resume() }
    disk.failAll(nil)
    let other = self.store()
    try await expectEqual(other.shelf().values, [:])
    await other.close()
    try await store.resume()
    try await expectEqual(store.shelf().values, ["a": "1"])
  }

  /// The partition had no file when the store was suspended.
  @Test func whatAnotherProcessHasWipedStaysWipedIfTheStoreCannotBeResumedAtOnce() async throws {
    let (store, other) = (self.store(), self.store())
    try await expectEqual(store.shelf("new"), Shelf())
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    disk.failAll(.full, of: "write")
    await store.suspend()
    disk.failAll(nil)
    _ = try await other.wipe("new")
    await other.release("new")
    await other.close()
    disk.failAll(.full, of: "write")
    await #expect(throws: QueryStoreError.self) { try await store.resume() }
    disk.failAll(nil)
    try await store.resume()
    try await expectEqual(store.shelf().values, ["a": "1"])
    await #expect(throws: QueryStoreError.self) {
      try await store.write(ShelfChange.put(["k": "late"]).batch(0), to: "new")
    }
  }

  @Test func aClosedStoreLeavesARemovedDirectoryRemoved() async throws {
    let store = store()
    try await store.write(.put(["a": "1"]))
    disk.removeDirectory("/store")
    await store.close()
    expectEmpty(disk.files)
  }
}
