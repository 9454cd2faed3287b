import StreamQueryTesting
import Synchronization
import Testing

import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Notes of ended accounts: when they are written, and what damage does to them.
struct AccountNoteTests: AccountSuite {
  let simulation = Simulation(seed: 43)
  let store: SlowStore

  init() { store = SlowStore(clock: simulation.clock) }

  private func filled(_ accounts: QueryAccounts) throws -> QueryAccount {
    try simulation.run {
      let account = try await accounts.open("ada")
      try await account.client.restore()
      account.client.setData("x", for: key)
      try await account.client.save()
      return account
    }
  }

  @Test("an end is noted while the closing before it hangs")
  func notedBesideClosing() throws {
    let store = DeafStore(simulation)
    let accounts = QueryAccounts(in: store, simulation: simulation) { _, configuration in
      configuration.persistence = Persistence(in: store)
    }
    let ada = try simulation.run { try await accounts.open("ada") }
    try simulation.run { try await ada.client.restore() }
    ada.client.setData("y", for: key)
    store.wait.withLock { $0 = .seconds(3_600) }
    let closing = simulation.task { try? await ada.close() }
    simulation.advance(by: .seconds(1))
    store.wait.withLock { $0 = .zero }
    let ending = simulation.task { try await ada.end() }
    simulation.advance(by: .seconds(60))
    expectEqual(store.memory.load("accounts").records.map(\.key), ["account/ada"])
    simulation.advance(by: .seconds(7_200))
    try simulation.run {
      await closing.value
      try await ending.value
    }
    expectEmpty(store.memory.load("account/ada").records)
    expectEmpty(store.memory.load("accounts").records)
  }

  @Test("a note that is written after the account was opened again is taken back")
  func lateNote() throws {
    let (deaf, other) = (DeafStore(simulation), SlowStore(clock: simulation.clock))
    let accounts = QueryAccounts(in: deaf, other, simulation: simulation) { _, configuration in
      configuration.persistence = Persistence(in: deaf)
    }
    let old = try simulation.run { try await accounts.open("ada") }
    try simulation.run { try await old.client.restore() }
    old.client.setData("x", for: key)
    deaf.wait.withLock { $0 = .seconds(60) }
    let closing = simulation.task { try await old.close() }
    simulation.advance(by: .seconds(1))
    let opening = simulation.task { try await accounts.open("ada") }
    simulation.advance(by: .seconds(1))
    deaf.wait.withLock { $0 = .zero }
    other.change { $0.loading = .seconds(3_600) }
    let ending = simulation.task { try await old.end() }
    simulation.advance(by: .seconds(1))
    other.change { $0.loading = .zero }
    simulation.advance(by: .seconds(600))
    expectEqual(accounts.opened.count, 1)
    simulation.advance(by: .seconds(7_200))
    try simulation.run {
      try await closing.value
      try await expect(!opening.value.hasEnded)
      try await ending.value
    }
    expectEmpty(other.memory.load("accounts").records)
    expectEmpty(other.memory.load("accounts-copy").records)
  }

  @Test("an end is noted while the opening before it hangs, and no note outlasts it")
  func notedBesideOpening() throws {
    _ = try filled(accounts())
    store.change { $0.loading = .seconds(3_600) }
    let next = accounts()
    let opening = simulation.task { _ = try? await next.open("ada") }
    simulation.advance(by: .seconds(1))
    store.change { $0.loading = .zero }
    let ending = simulation.task { try await next.end("ada") }
    simulation.advance(by: .seconds(60))
    expectEqual(notes, ["account/ada"])
    simulation.advance(by: .seconds(7_200))
    try simulation.run {
      await opening.value
      try await ending.value
    }
    expect(kept("ada").isEmpty && notes.isEmpty)
    expectEmpty(next.opened)
  }

  @Test("a store that hangs when it takes the note delays no other store's wipe")
  func hangingNote() throws {
    let other = SlowStore(clock: simulation.clock)
    let ada = try filled(accounts(other))
    other.change { $0.writing = .seconds(3_600) }
    let ending = simulation.task { try await ada.end() }
    simulation.advance(by: .seconds(60))
    expect(kept("ada").isEmpty && notes == ["account/ada"])
    simulation.advance(by: .seconds(36_000))
    try simulation.run { try await ending.value }
    expect(notes.isEmpty && other.memory.load("accounts").records.isEmpty)
  }

  @Test("no note outlasts the end, in a store either that only clients have named")
  func unlistedStore() throws {
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts()
    let query = Query(key: key) { "x" }.persisted(in: other)
    @Sendable func use() async throws -> QueryAccount {
      let account = try await accounts.open("ada")
      _ = try await account.client.fetch(query)
      try await account.client.save()
      return account
    }
    let ada = try simulation.run { try await use() }
    store.change { $0.wiping = .seconds(5) }
    let first = simulation.task { try await ada.end() }
    simulation.advance(by: .seconds(1))
    other.change { $0.loading = .seconds(60) }
    let second = simulation.task { try await accounts.end("ada") }
    simulation.advance(by: .seconds(1))
    other.change { $0.loading = .zero }
    simulation.advance(by: .minutes(10))
    try simulation.run {
      try await first.value
      try await second.value
    }
    expectEmpty(other.memory.load("accounts").records)
    expectEmpty(other.memory.load("accounts-copy").records)
    try simulation.run { try await use().close() }
    // The next version names both.
    let next = self.accounts(other)
    simulation.advance(by: .minutes(1))
    expectEqual(kept("ada", in: other), [#""x""#])
    withExtendedLifetime(next) {}
  }

  @Test("accounts that have ended leave no file, and no late save of them is taken")
  func noFile() async throws {
    let manager = FileManager.default
    let directory = manager.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
    defer { try? manager.removeItem(at: directory) }
    let store = FileStore(directory: directory)
    let accounts = QueryAccounts(in: store) { _, configuration in
      configuration.persistence = Persistence(in: store)
    }
    for number in 0..<20 {
      let account = try await accounts.open("user-\(number)")
      account.client.setData("secret", for: QueryKey<String>("name"))
      if number % 2 == 0 { try await account.client.save() }
      try await account.end()
    }
    try expectEqual(
      manager.contentsOfDirectory(atPath: directory.path).sorted(),
      ["accounts-copy@0.log", "accounts@0.log", "lock", "~@20.log"]
    )
    let late = StoreBatch(
      generation: .first,
      puts: [StoreRecord(key: "k", value: Data("late".utf8))]
    )
    await #expect(throws: QueryStoreError.self) {
      try await store.write(late, to: AccountNotes.partition(of: "user-3"))
    }
    await store.close()
  }

  @Test(
    "one flipped bit opens no account that has ended",
    arguments: ["accounts", "accounts-copy"]
  )
  func flippedBit(_ partition: StorePartition) async throws {
    let manager = FileManager.default
    let directory = manager.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
    defer { try? manager.removeItem(at: directory) }
    let kept = AccountNotes.partition(of: "user")
    // The process is killed after the note and before the wipe.
    func end() async throws {
      try? manager.removeItem(at: directory)
      let store = FileStore(directory: directory)
      var batch = StoreBatch(generation: try await store.load(kept).generation)
      batch.puts = [StoreRecord(key: "k", value: Data("secret".utf8))]
      try await store.write(batch, to: kept)
      try await AccountNotes(store: store).add("user")
      await store.close()
    }
    try await end()
    let names = try manager.contentsOfDirectory(atPath: directory.path)
    let name = try #require(names.first { $0.hasPrefix(partition.name + "@") })
    let file = directory.appending(path: name)
    for place in try Data(contentsOf: file).indices {
      try await end()
      var bytes = try Data(contentsOf: file)
      bytes[place] ^= 1
      try bytes.write(to: file)
      let store = FileStore(directory: directory)
      let accounts = QueryAccounts(in: store)
      do {
        _ = try await accounts.open("user")
        try await expectEmpty(store.load(kept).records, "byte \(place)")
      } catch {
        guard case QueryAccountError.unreadable = error else { throw error }
      }
      await store.close()
    }
  }
}

/// A store whose writes take their time, whoever is cancelled.
private final class DeafStore: QueryStore {
  let memory = MemoryStore()
  let wait = TestLock(Duration.zero)
  private let clock: any Clock<Duration>
  private let executor: any TaskExecutor

  init(_ simulation: Simulation) { (clock, executor) = (simulation.clock, simulation.executor) }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    memory.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    let (time, clock) = (wait.withLock { $0 }, clock)
    if time > .zero {
      await Task.detached(executorPreference: executor) { try? await clock.sleep(for: time) }.value
    }
    try memory.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    memory.wipe(partition)
  }
}
