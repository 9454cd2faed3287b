import StreamQueryTesting
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// A store lets go of its directory for a while, as an app does that goes to the background.
struct SuspendedStoreTests {
  private let simulation = Simulation(seed: 7)
  private let disk = SimulatedDisk()

  private func files() -> FileStore {
    FileStore(directory: "/store", system: disk, waste: 100)
  }

  private func isInUse(_ error: any Error) -> Bool {
    if case .inUse? = error as? QueryStoreError { true } else { false }
  }

  @Test func aSuspendedStoreHoldsNothingAndAnotherProcessHasTheDirectory() async throws {
    let (store, other) = (files(), files())
    try await store.write(.put(["a": "1"]))
    try await store.write(.put(["k": "1"]), to: "other")
    await store.suspend()
    await store.suspend()
    expectEqual(disk.openFiles, 0)
    try await expectEqual(other.shelf().values, ["a": "1"])
    try await other.write(.put(["b": "2"]))
    // It is still suspended then, and can be asked again.
    for _ in 0..<2 { await #expect { try await store.resume() } throws: { isInUse($0) } }
    await other.close()
    try await store.resume()
    try await store.resume()
    try await expectEqual(store.shelf().values, ["a": "1", "b": "2"])
    try await expectEqual(store.shelf("other").values, ["k": "1"])
    try await store.write(.put(["c": "3"]))
    await store.close()
    try await expectEqual(files().shelf().values, ["a": "1", "b": "2", "c": "3"])
  }

  @Test func anotherProcessMayRewriteTheFileMeanwhile() async throws {
    let (store, other) = (files(), files())
    for number in 0..<3 { try await store.write(.put(["a": "\(number)", "k\(number)": "1"])) }
    await store.suspend()
    let size = disk.files["/store/main@0.log"]?.count ?? 0
    for number in 0..<30 { try await other.write(.put(["a": "theirs \(number)"])) }
    #expect(disk.calls.contains { $0.hasPrefix("rename") })
    #expect(disk.files["/store/main@0.log"]?.count ?? 0 < 2 * size + 300)
    await other.close()
    try await store.resume()
    let all = ["a": "theirs 29", "k0": "1", "k1": "1", "k2": "1"]
    try await expectEqual(store.shelf().values, all)
    try await expectEqual(store.load(["a"], of: .main).shelf.values, ["a": "theirs 29"])
  }

  @Test(arguments: [false, true])
  func aBatchForWhatAnotherProcessHasWipedIsRefused(isReleased: Bool) async throws {
    let (store, other) = (files(), files())
    try await store.write(.put(["a": "1"]))
    await store.suspend()
    _ = try await other.wipe(.main)
    if isReleased { await other.release(.main) }
    await other.close()
    try await store.resume()
    await #expect {
      try await store.write(ShelfChange.put(["a": "late"]).batch(0), to: .main)
    } throws: {
      guard case .superseded(let current)? = $0 as? QueryStoreError else { return false }
      return current.number == 1
    }
    try await expectEqual(store.shelf(), Shelf(generation: 1))
  }

  /// A wipe that could not be completed is not forgotten.
  @Test(arguments: 0..<4)
  func whatWasWipedIsNotShownAfterwards(_ call: Int) async throws {
    let store = files()
    try await store.write(.put(["secret": "marker"]))
    disk.failAll(.denied, of: ["rename", "sync /store", "truncate", "sync /store/main"][call])
    _ = try? await store.wipe(.main)
    await store.suspend()
    disk.failAll(nil)
    try await store.resume()
    try await expectEqual(store.shelf(), Shelf(generation: 1))
    await #expect(throws: QueryStoreError.self) {
      try await store.write(ShelfChange.put(["a": "late"]).batch(0), to: .main)
    }
  }

  @Test func aPartitionThatWasWipedBeforeItHadAFileStaysWiped() async throws {
    let store = files()
    try await expectEqual(store.shelf(), Shelf())
    disk.failAll(.full, of: "create")
    await #expect(throws: QueryStoreError.self) { _ = try await store.wipe(.main) }
    await store.suspend()
    disk.failAll(nil)
    try await store.resume()
    await #expect(throws: QueryStoreError.self) {
      try await store.write(ShelfChange.put(["a": "late"]).batch(0), to: .main)
    }
    try await expectEqual(store.shelf(), Shelf(generation: 1))
  }

  /// An account that has saved nothing so far, while another one ends.
  @Test(arguments: [false, true])
  func aPartitionWithoutAFileStaysInTheGenerationInWhichItWasRead(
    isWipedMeanwhile: Bool
  )
    async throws
  {
    let (store, other) = (files(), files())
    try await expectEqual(store.shelf("new"), Shelf())
    try await store.write(.put(["a": "1"]))
    _ = try await store.wipe(.main)
    await store.release(.main)
    await store.suspend()
    expectEqual(disk.openFiles, 0)
    if isWipedMeanwhile {
      _ = try await other.wipe("new")
      await other.release("new")
      await other.close()
    }
    try await store.resume()
    let batch = ShelfChange.put(["k": "1"]).batch(0)
    if isWipedMeanwhile {
      await #expect(throws: QueryStoreError.self) { try await store.write(batch, to: "new") }
    } else {
      try await store.write(batch, to: "new")
      try await expectEqual(store.shelf("new").values, ["k": "1"])
    }
  }

  // MARK: Calls that wait

  @Test func callsWaitAndGoOnInTheirOrder() throws {
    let store = files()
    try simulation.run { try await store.write(.put(["a": "0"])) }
    simulation.run { await store.suspend() }
    let calls = disk.calls
    let log = Notes<String>()
    let tasks = (1...4).map { number in
      let task = simulation.task {
        try await store.write(ShelfChange.put(["a": "\(number)"]).batch(0), to: .main)
        log.add("\(number)")
      }
      simulation.settle()
      return task
    }
    let load = simulation.task { try await store.shelf().values }
    let wipe = simulation.task { try await store.wipe("other").number }
    simulation.advance(by: .hours(1))
    expectEmpty(log.all)
    expectEqual(disk.calls, calls)
    try simulation.run { try await store.resume() }
    simulation.settle()
    expectEqual(log.all.sorted(), ["1", "2", "3", "4"])
    try simulation.run {
      try await expectEqual(load.value, ["a": "4"])
      try await expectEqual(wipe.value, 1)
      for task in tasks { try await task.value }
      try await expectEqual(store.shelf().values, ["a": "4"])
    }
  }

  @Test func aCancelledCallStopsWaitingAndWritesNothing() throws {
    let store = files()
    try simulation.run { try await store.write(.put(["a": "0"])) }
    simulation.run { await store.suspend() }
    let task = simulation.task {
      try await store.write(ShelfChange.put(["a": "1"]).batch(0), to: .main)
    }
    simulation.settle()
    task.cancel()
    simulation.settle()
    _ = simulation.run {
      await #expect {
        try await task.value
      } throws: {
        guard case .failed(let error)? = $0 as? QueryStoreError else { return false }
        return error is CancellationError
      }
    }
    try simulation.run {
      try await store.resume()
      try await expectEqual(store.shelf().values, ["a": "0"])
    }
  }

  @Test func callsThatWaitWhenTheStoreIsClosedSaySo() throws {
    let store = files()
    simulation.run { await store.suspend() }
    let task = simulation.task { _ = try await store.shelf() }
    simulation.settle()
    simulation.run {
      await store.close()
      await #expect {
        try await task.value
      } throws: {
        if case .closed? = $0 as? QueryStoreError { true } else { false }
      }
      await #expect(throws: QueryStoreError.self) { try await store.resume() }
      await store.suspend()
      await #expect(throws: QueryStoreError.self) { _ = try await store.shelf() }
    }
  }

  @Test func whatAClientChangesMeanwhileIsSavedAfterwards() throws {
    let store = files()
    func client() -> QueryClient {
      QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    }
    let name: QueryKey<String> = "name"
    let first = client()
    try simulation.run { try await first.restore() }
    first.setData("before", for: name)
    try simulation.run { try await first.save() }
    simulation.run { await store.suspend() }
    let events = simulation.record(first.events)
    let calls = disk.calls
    for number in 0..<100 {
      first.setData("meanwhile \(number)", for: name)
      simulation.advance(by: .minutes(1))
    }
    expectEqual(disk.calls, calls)
    try simulation.run { try await store.resume() }
    simulation.settle()
    try simulation.run { try await first.save() }
    let failures = events.values.filter {
      if case .persistenceFailed = $0.kind { true } else { false }
    }
    expectEmpty(failures)
    events.cancel()
    first.shutDown()
    simulation.settle()
    let next = client()
    try simulation.run { try await next.restore() }
    expectEqual(next.data(for: name), "meanwhile 99")
    next.shutDown()
  }

  @Test func aClientWhoseDirectoryIsRemovedSavesEverythingWithTheNextTry() throws {
    let store = files()
    func client() -> QueryClient {
      QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
    }
    let keys: [QueryKey<String>] = ["one", "two"]
    let first = client()
    try simulation.run { try await first.restore() }
    first.setData("1", for: keys[0])
    try simulation.run { try await first.save() }
    disk.removeDirectory("/store")
    first.setData("2", for: keys[1])
    _ = simulation.run {
      await #expect {
        try await first.save()
      } throws: {
        guard let failure = ($0 as? QuerySaveError)?.failures.first else { return false }
        if case .filesReplaced = failure.error { return true }
        return false
      }
    }
    try simulation.run { try await first.save() }
    first.shutDown()
    simulation.settle()
    disk.restart(.nothing)
    let next = FileStore(directory: "/store", system: disk, waste: 100)
    let count = try simulation.run { try await next.load(.main).records.count }
    expectEqual(count, 2)
  }
}
