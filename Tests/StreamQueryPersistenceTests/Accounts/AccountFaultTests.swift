@_spi(Adapters) import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// Accounts beside stores that fail, callers that do several things at a time, and handlers that wait.
struct AccountFaultTests: AccountSuite {
  let simulation = Simulation(seed: 43)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func filled(_ accounts: QueryAccounts, _ value: String = "x") throws -> QueryAccount {
    try simulation.run {
      let account = try await accounts.open("ada")
      try await account.client.restore()
      account.client.setData(value, for: key)
      try await account.client.save()
      return account
    }
  }

  @Test("no account is opened beside a note, which would erase what is kept next")
  func noteStays() throws {
    let accounts = accounts()
    let ada = try filled(accounts)
    store.change { $0.refuses = { $1 == "accounts" && !$0.removals.isEmpty ? .denied : nil } }
    try simulation.run {
      await expectEqual(kind { try await ada.end() }, "not erased: ada, 1")
      expect(kept("ada").isEmpty && notes == ["account/ada"])
      await expectEqual(kind { _ = try await accounts.open("ada") }, "not erased: ada, 1")
      store.change { $0.refuses = nil }
      let again = try await accounts.open("ada")
      expectEmpty(notes)
      try await again.close()
    }
  }

  @Test("a store that is full takes no note, but an account can end in it")
  func full() throws {
    let ada = try filled(accounts())
    store.change { $0.refuses = { _, _ in .full } }
    try simulation.run { try await ada.end() }
    expectEmpty(kept("ada"))
  }

  @Test("of two stores, the note of the one that is erased stays for the other's sake")
  func twoStores() throws {
    let other = SlowStore(clock: simulation.clock)
    do {
      let accounts = accounts(other)
      let ada = try filled(accounts)
      store.change {
        $0.refuses = { _, _ in .denied }
        $0.wipeErrors = [.denied]
      }
      simulation.run { await expectEqual(kind { try await ada.end() }, "not erased: ada, 1") }
      expectEqual(other.memory.load("accounts").records.map(\.key), ["account/ada"])
      store.change { $0.refuses = nil }
    }
    let next = accounts(other)
    try simulation.run {
      let ada = try await next.open("ada")
      try await ada.client.restore()
      expectNil(ada.client.data(for: key))
      try await ada.close()
    }
    expectEmpty(other.memory.load("accounts").records)
  }

  @Test("a store that hangs delays neither the other stores nor other accounts")
  func hangingStore() throws {
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts(other)
    let ada = try filled(accounts)
    other.change { $0.wiping = .seconds(3_600) }
    let ending = simulation.task { try await ada.end() }
    simulation.settle()
    expectEmpty(kept("ada"))
    try simulation.run { try await accounts.open("bob").close() }
    simulation.advance(by: .seconds(3_600))
    try simulation.run { try await ending.value }
  }

  @Test("the stores are erased at once, whatever those do who are told; the end waits for them")
  func slowHandler() throws {
    let ada = try filled(accounts())
    let handler = ada.client.whenErased { [clock = simulation.clock] in
      try? await clock.sleep(for: .seconds(60))
    }
    let ending = simulation.task {
      try await ada.end()
      return simulation.now
    }
    simulation.settle()
    expect(kept("ada").isEmpty && notes.isEmpty)
    let begin = simulation.now
    try expectEqual(simulation.run { try await ending.value }, begin + .seconds(60))
    withExtendedLifetime(handler) {}
  }

  @Test("who is told of the end may end, open and close the account himself")
  func callingBack() throws {
    let accounts = accounts()
    let ada = try filled(accounts)
    let handler = ada.client.whenErased {
      try? await ada.end()
      try? await accounts.open("ada").close()
    }
    try simulation.run { try await ada.end() }
    expectEmpty(accounts.opened)
    withExtendedLifetime(handler) {}
  }

  @Test("clients that were closed before are erased, and those who show their data are told")
  func closedClients() throws {
    for byName in [true, false] {
      let accounts = accounts()
      let ada = try filled(accounts)
      let told = Recorded<String>()
      let handler = ada.client.whenErased { told.append("told") }
      try simulation.run {
        try await ada.close()
        expect(!ada.hasEnded)
        if byName {
          try await accounts.end("ada")
        } else {
          try await accounts.open("ada").end()
        }
        expect(ada.hasEnded && ada.client.data(for: key) == nil)
        expectNil(ada.client.result(for: Query(key: key)).data)
        try await ada.end()
      }
      expectEqual(told.values, ["told"])
      withExtendedLifetime(handler) {}
    }
  }

  @Test("an account that was opened again is not ended by who has closed it")
  func staleHandle() throws {
    let accounts = accounts()
    let ada = try filled(accounts)
    try simulation.run {
      try await ada.close()
      let again = try await accounts.open("ada")
      for _ in 1...2 { await expectEqual(kind { try await ada.end() }, "opened again: ada") }
      expect(!ada.hasEnded && !again.hasEnded)
      try await again.close()
    }
    expectEqual(kept("ada"), [#""x""#])
  }

  @Test("what is written while an account is closed is saved, or the call throws")
  func writtenDuringClose() throws {
    for isRefused in [false, true] {
      let accounts = accounts()
      let ada = try filled(accounts, "first")
      ada.client.setData("second", for: key)
      store.change { $0.writing = .seconds(1) }
      let closing = simulation.task { await kind { try await ada.close() } }
      simulation.advance(by: .milliseconds(500))
      ada.client.setData("third", for: key)
      if isRefused {
        store.change {
          $0.refuses = { batch, _ in
            batch.puts.contains { String(decoding: $0.value, as: UTF8.self).contains("third") }
              ? .denied : nil
          }
        }
      }
      simulation.advance(by: .seconds(9))
      let error = simulation.run { await closing.value }
      expectEqual(error, isRefused ? "not saved: ada" : "none")
      expectEqual(kept("ada"), [isRefused ? #""second""# : #""third""#])
      store.change {
        $0.writing = .zero
        $0.refuses = nil
      }
      try simulation.run { try await accounts.end("ada") }
    }
  }

  @Test("an error that will not pass hides no other store's error when an account is closed")
  func closedBesideALostStore() throws {
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts(other)
    let ada = try filled(accounts)
    let query = Query(key: ["other"] as QueryKey<String>) { "other" }.persisted(in: other)
    try simulation.run {
      _ = try await ada.client.fetch(query)
      ada.client.setData("y", for: key)
      store.change { $0.refuses = { _, _ in .inUse } }
      other.change { $0.refuses = { _, _ in .denied } }
      await expectEqual(kind { try await ada.close() }, "not saved: ada")
      other.change { $0.refuses = nil }
      await expectEqual(kind { try await ada.close() }, "none")
    }
    expectEqual(kept("ada", in: other), [#""other""#])
  }

  @Test("an account can be closed although one of its stores was given up")
  func closedBesideAStoreGivenUp() throws {
    struct Broken: Error {}
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts(other)
    let ada = try filled(accounts)
    let query = Query(key: ["other"] as QueryKey<String>) { "other" }.persisted(in: other)
    other.change { $0.loadError = .failed(Broken()) }
    _ = try simulation.run { try await ada.client.fetch(query) }
    simulation.advance(by: .minutes(3))
    let loads = other.loads
    other.change { $0.loadError = nil }
    simulation.advance(by: .hours(1))
    expectEqual(other.loads, loads)
    ada.client.setData("y", for: key)
    ada.client.setData("lost", for: query)
    try simulation.run {
      await expectEqual(kind { try await ada.close() }, "none")
      expectEmpty(accounts.opened)
      let again = try await accounts.open("ada")
      try await again.client.restore()
      expectEqual(again.client.data(for: key), "y")
      try await again.close()
    }
  }

  /// A store that does not hear of a cancellation while it is read.
  private final class DeafStore: QueryStore {
    private let memory = MemoryStore()
    private let answers = TestLock<[SharedOneShot<Void>]?>([])

    func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
      let answer = SharedOneShot<Void>()
      let isDeaf = answers.withLock { answers in
        answers?.append(answer)
        return answers != nil
      }
      if isDeaf { _ = await answer.wait() }
      return memory.load(partition)
    }

    /// Answers all reads from now on.
    func hear() {
      let waiting = answers.withLock { answers in
        defer { answers = nil }
        return answers ?? []
      }
      for answer in waiting { answer.give(()) }
    }

    func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
      try memory.write(batch, to: partition)
    }

    func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
      memory.wipe(partition)
    }
  }

  @Test("a caller who waits until ended accounts are erased can leave a store that hangs")
  func cancelledBesideAHangingStore() {
    let deaf = DeafStore()
    let accounts = QueryAccounts(in: deaf, simulation: simulation)
    let ends = Recorded<String>()
    let finishing = simulation.task {
      ends.append(await kind { try await accounts.finishEndings() })
    }
    simulation.settle()
    expectEmpty(ends.values)
    finishing.cancel()
    simulation.settle()
    expectEqual(ends.values, ["CancellationError()"])
    deaf.hear()
    simulation.settle()
    withExtendedLifetime(accounts) {}
  }

  @Test("whoever closes accounts one after the other leaves a store that hangs by a cancellation")
  func closedBesideAHangingStore() throws {
    let accounts = accounts()
    for name in ["ada", "bob"] {
      try simulation.run {
        let account = try await accounts.open(name)
        try await account.client.restore()
        account.client.setData("x", for: key)
      }
    }
    store.change { $0.writing = .seconds(3_600) }
    let closing = simulation.task {
      for account in accounts.opened { try? await account.close() }
      return simulation.now
    }
    simulation.advance(by: .seconds(60))
    let cancelled = simulation.now
    closing.cancel()
    expectEqual(simulation.run { await closing.value }, cancelled)
    simulation.advance(by: .seconds(3_600))
    expectEmpty(accounts.opened)
    expect(kept("ada") == [#""x""#] && kept("bob") == [#""x""#])
  }

  @Test("an account stays open while an update waits for a store that cannot be read")
  func closedBeforeAStoreIsRead() throws {
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts(other)
    let ada = try filled(accounts)
    let query = Query(key: ["draft"] as QueryKey<String>) { "fetched" }.persisted(in: other)
    other.change { $0.loadError = .denied }
    expectNil(ada.client.updateData(for: query) { $0 = ($0 ?? "") + "typed" })
    simulation.run { await expectEqual(kind { try await ada.close() }, "not saved: ada") }
    expectEqual(accounts.opened.count, 1)
    other.change { $0.loadError = nil }
    simulation.advance(by: .minutes(2))
    simulation.run { await expectEqual(kind { try await ada.close() }, "none") }
    expectEqual(kept("ada", in: other), [#""typed""#])
  }

  @Test("an account whose client somebody has shut down is opened anew")
  func shutDown() throws {
    let accounts = accounts()
    let ada = try filled(accounts)
    try simulation.run {
      ada.client.shutDown()
      let again = try await accounts.open("ada")
      try await again.client.restore()
      expectEqual(again.client.data(for: key), "x")
      try await again.close()
    }
  }

  @Test("an account that ends is not listed as open")
  func listed() throws {
    let accounts = accounts()
    let ada = try filled(accounts)
    store.change { $0.wiping = .seconds(5) }
    let ending = simulation.task { try await ada.end() }
    simulation.settle()
    expectEmpty(accounts.opened)
    simulation.advance(by: .seconds(5))
    try simulation.run { try await ending.value }
  }

  @Test("a name may begin with a mark that combines with what is before it")
  func combiningMark() throws {
    let name = "\u{301}ada"
    do {
      let accounts = accounts()
      try simulation.run {
        let account = try await accounts.open(name)
        account.client.setData("x", for: key)
        try await account.client.save()
        store.change { $0.wipeErrors = [.denied] }
        await expectEqual(kind { try await account.end() }, "not erased: \(name), 1")
      }
    }
    expectEqual(kept(name), [#""x""#])
    let next = accounts()
    simulation.settle()
    expect(kept(name).isEmpty && notes.isEmpty)
    withExtendedLifetime(next) {}
  }

  @Test("a store that nobody has named is erased, and told of as a mistake")
  func unlisted() throws {
    let other = SlowStore(clock: simulation.clock)
    let told = Recorded<QueryMisuse>()
    let accounts = QueryAccounts(in: store, simulation: simulation) { _, configuration in
      configuration.onMisuse = { told.append($0) }
    }
    try simulation.run {
      let ada = try await accounts.open("ada")
      let query = Query(key: key) { "x" }.persisted(in: other)
      _ = try await ada.client.fetch(query)
      try await ada.client.save()
      try await ada.end()
    }
    expectEmpty(kept("ada", in: other))
    expectEqual(told.values, [.unlistedStore(account: "ada")])
  }
}
