import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Accounts that are opened, closed and ended.
struct QueryAccountsTests: AccountSuite {
  let simulation = Simulation(seed: 41)
  let store: SlowStore

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  @Test("each account has its own client and its own part of the store")
  func apart() throws {
    let accounts = accounts()
    try simulation.run {
      let (ada, bob) = (try await accounts.open("ada"), try await accounts.open("bob"))
      ada.client.setData("of Ada", for: key)
      expectNil(bob.client.data(for: key))
      bob.client.setData("of Bob", for: key)
      try await ada.client.save()
      try await bob.client.save()
      expectEqual(ada.client.data(for: key), "of Ada")
      expectEqual(accounts.opened.map(\.name), ["ada", "bob"])
    }
    expectEqual(kept("ada"), [#""of Ada""#])
    expectEqual(kept("bob"), [#""of Bob""#])
    expectEmpty(store.memory.load(.main).records)
    for account in accounts.opened { account.client.shutDown() }
  }

  @Test("an account that is open is the same for all who open it")
  func sameClient() throws {
    let accounts = accounts()
    let opened = (1...3).map { _ in simulation.task { try await accounts.open("ada").client } }
    let clients = try simulation.run {
      var clients: [QueryClient] = []
      for task in opened { clients.append(try await task.value) }
      return clients
    }
    expectEqual(Set(clients.map(ObjectIdentifier.init)).count, 1)
    clients.first?.shutDown()
  }

  @Test("an account that is open is returned at once, without a task")
  func openAtOnce() throws {
    let accounts = accounts()
    let client = try simulation.run { try await accounts.open("ada").client }
    let before = simulation.jobCount
    simulation.run {}
    let jobs = simulation.jobCount - before
    try simulation.run {
      for _ in 0..<100 {
        let again = try await accounts.open("ada")
        #expect(again.client === client)
      }
    }
    expectEqual(simulation.jobCount - before, 2 * jobs)
    client.shutDown()
  }

  @Test("names that look the same are one account, whatever their bytes are")
  func composedNames() throws {
    let accounts = accounts()
    try simulation.run {
      let first = try await accounts.open("Zo\u{EB}")
      let second = try await accounts.open("Zoe\u{308}")
      #expect(first.client === second.client)
      first.client.setData("x", for: key)
      try await first.client.save()
      try await second.end()
    }
    expectEmpty(kept("Zo\u{EB}"))
    expectEmpty(accounts.opened)
  }

  @Test("at the end of an account its client is empty at once, and its store when the call returns")
  func ended() throws {
    let accounts = accounts()
    let ada = try simulation.run { try await accounts.open("ada") }
    simulation.run {
      let user = Query(key: key) { "fetched" }
      _ = try? await ada.client.fetch(user)
      try? await ada.client.save()
    }
    let results = simulation.record(ada.client.stream(Query(key: key)))
    simulation.settle()
    expectEqual(kept("ada"), [#""fetched""#])
    store.change { $0.wiping = .seconds(3) }
    let ending = simulation.task {
      try await ada.end()
      return simulation.now
    }
    simulation.settle()
    expect(ada.hasEnded)
    expectNil(ada.client.data(for: key))
    expect(results.isFinished)
    expectEqual(notes, ["account/ada"])
    expect(!kept("ada").isEmpty)
    let before = simulation.now
    let now = try simulation.run { try await ending.value }
    expectEqual(now, before + .seconds(3))
    expectEmpty(kept("ada"))
    expectEmpty(notes)
    expectEmpty(accounts.opened)
  }

  @Test("an account that was ended is new and empty when it is opened again")
  func openedAgain() throws {
    let accounts = accounts()
    try simulation.run {
      let first = try await accounts.open("ada")
      first.client.setData("old", for: key)
      try await first.client.save()
      try await first.end()
      let second = try await accounts.open("ada")
      #expect(second.client !== first.client)
      expectNil(second.client.data(for: key))
      try await second.client.restore()
      expectNil(second.client.data(for: key))
      second.client.setData("new", for: key)
      try await second.client.save()
      // The former handle is about what has ended.
      try await first.end()
      expectEqual(second.client.data(for: key), "new")
      second.client.shutDown()
    }
    expectEqual(kept("ada"), [#""new""#])
  }

  @Test("a save that is on its way at the end is not there afterwards")
  func lateSave() throws {
    let accounts = accounts()
    let ada = try simulation.run { try await accounts.open("ada") }
    try simulation.run { try await ada.client.restore() }
    store.change { $0.writing = .seconds(2) }
    ada.client.setData("late", for: key)
    simulation.advance(by: .milliseconds(1_500))
    expectEqual(store.batches.count, 1)
    ada.client.setData("later", for: key)
    store.change { $0.writing = .zero }
    try simulation.run { try await ada.end() }
    simulation.advance(by: .minutes(2))
    expectEmpty(kept("ada"))
    expectEqual(store.batches.filter { $0.puts.contains { $0.key.hasPrefix("query/") } }.count, 1)
  }

  @Test("a wipe that fails throws, and the account is not opened before it is erased")
  func wipeFails() throws {
    let accounts = accounts()
    try simulation.run {
      let ada = try await accounts.open("ada")
      ada.client.setData("x", for: key)
      try await ada.client.save()
      store.change { $0.wipeErrors = [.denied, .denied] }
      let error = await #expect(throws: QueryAccountError.self) { try await ada.end() }
      expectEqual(kind(of: error), "not erased: ada, 1")
      expectNil(ada.client.data(for: key))
      expectEqual(notes, ["account/ada"])
      _ = await #expect(throws: QueryAccountError.self) { try await accounts.open("ada") }
      expectEmpty(accounts.opened)
      let again = try await accounts.open("ada")
      expectNil(again.client.data(for: key))
      again.client.shutDown()
    }
    expectEmpty(kept("ada"))
    expectEmpty(notes)
  }

  @Test("the next launch erases what the last one could not, before anybody asks")
  func nextLaunch() throws {
    try simulation.run { [accounts = accounts()] in
      let ada = try await accounts.open("ada")
      ada.client.setData("x", for: key)
      try await ada.client.save()
      store.change { $0.wipeErrors = [.denied] }
      _ = await #expect(throws: QueryAccountError.self) { try await ada.end() }
    }
    expectEqual(kept("ada"), [#""x""#])
    let accounts = accounts()
    simulation.settle()
    expectEmpty(kept("ada"))
    expectEmpty(notes)
    withExtendedLifetime(accounts) {}
  }

  @Test("what could not be erased in the background is told to who waits for it")
  func finishEndings() throws {
    try simulation.run { [accounts = accounts()] in
      try await accounts.open("ada").client.save()
      store.change { $0.wipeErrors = [.denied, .denied, .denied] }
      _ = await #expect(throws: QueryAccountError.self) { try await accounts.end("ada") }
    }
    let accounts = accounts()
    simulation.settle()
    expectEqual(store.wipes.count, 2)
    try simulation.run {
      _ = await #expect(throws: QueryAccountError.self) { try await accounts.finishEndings() }
      try await accounts.finishEndings()
    }
    expectEmpty(notes)
  }

  @Test("if a store does not say which accounts have ended, none is opened")
  func unreadable() throws {
    store.change { $0.loadError = .denied }
    let accounts = accounts()
    try simulation.run {
      let error = await #expect(throws: QueryAccountError.self) { try await accounts.open("ada") }
      expectEqual(kind(of: error), "unreadable")
      store.change { $0.loadError = nil }
      try await accounts.open("ada").client.shutDown()
    }
  }

  @Test("a closed account is saved, and is there again when it is opened")
  func closed() throws {
    let accounts = accounts()
    try simulation.run {
      let first = try await accounts.open("ada")
      try await first.client.restore()
      first.client.setData("kept", for: key)
      try await first.close()
      try await first.close()
      expectEqual(kept("ada"), [#""kept""#])
      expect(!first.hasEnded)
      let second = try await accounts.open("ada")
      try await second.client.restore()
      expectEqual(second.client.data(for: key), "kept")
      // The former handle names nothing that is open.
      try await first.close()
      let error = await #expect(throws: QueryAccountError.self) { try await first.end() }
      expectEqual(kind(of: error), "opened again: ada")
      expectEqual(second.client.data(for: key), "kept")
      try await second.close()
      try await second.end()
    }
    expectEmpty(kept("ada"))
  }

  @Test("an account whose changes cannot be saved stays open")
  func notSaved() throws {
    let accounts = accounts()
    try simulation.run {
      let ada = try await accounts.open("ada")
      try await ada.client.restore()
      ada.client.setData("x", for: key)
      store.change { $0.writeErrors = [.denied] }
      let error = await #expect(throws: QueryAccountError.self) { try await ada.close() }
      expectEqual(kind(of: error), "not saved: ada")
      expectEqual(ada.client.data(for: key), "x")
      try await ada.close()
    }
    expectEqual(kept("ada"), [#""x""#])
    expectEmpty(accounts.opened)
  }

  @Test("a cancelled caller leaves at once, and the account ends nevertheless")
  func cancelled() throws {
    let accounts = accounts()
    let ada = try simulation.run { try await accounts.open("ada") }
    ada.client.setData("x", for: key)
    try simulation.run { try await ada.client.save() }
    store.change { $0.wiping = .seconds(5) }
    let ending = simulation.task { try await ada.end() }
    simulation.settle()
    ending.cancel()
    simulation.settle()
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await ending.value } }
    expectEqual(notes, ["account/ada"])
    simulation.advance(by: .seconds(5))
    expectEmpty(kept("ada"))
    expectEmpty(notes)
  }

  @Test("who opens an account while it ends gets a new one")
  func openWhileEnding() throws {
    for seed in 0..<20 as Range<UInt64> {
      let simulation = Simulation(seed: seed)
      let store = SlowStore(clock: simulation.clock) { $0.wiping = .seconds(1) }
      let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
        configuration.persistence = Persistence(in: store)
      }
      let ada = try simulation.run { try await accounts.open("ada") }
      ada.client.setData("x", for: key)
      let ending = simulation.task { try await ada.end() }
      let opening = simulation.task { try await accounts.open("ada") }
      try simulation.run {
        try await ending.value
        let second = try await opening.value
        expectNil(second.client.data(for: key))
        second.client.setData("y", for: key)
        try await second.client.save()
        #expect(accounts.opened.count <= 1)
        second.client.shutDown()
      }
    }
  }

  @Test("a query's own store is erased too, but not what is kept in a partition of its own name")
  func otherStores() throws {
    let other = MemoryStore()
    let accounts = accounts()
    try simulation.run {
      let ada = try await accounts.open("ada")
      let mine = Query(key: ["mine"] as QueryKey<String>) { "mine" }.persisted(in: other)
      let ours = Query(key: ["ours"] as QueryKey<String>) { "ours" }
        .persisted(in: other, partition: "shared")
      _ = try await ada.client.fetch(mine)
      _ = try await ada.client.fetch(ours)
      try await ada.client.save()
      expectEqual(other.load("account/ada").records.count, 1)
      try await ada.end()
    }
    expectEmpty(other.load("account/ada").records)
    expectEqual(other.load("shared").records.count, 1)
  }

  @Test("the objects of an account are freed with it")
  func freed() throws {
    let released = try simulation.run {
      let accounts = accounts()
      let ada = try await accounts.open("ada")
      try await ada.end()
      return Released(client: ada.client, accounts: accounts)
    }
    simulation.settle()
    expectNil(released.client)
    expectNil(released.accounts)
  }
}

private final class Released: Sendable {
  weak let client: QueryClient?
  weak let accounts: QueryAccounts?

  init(client: QueryClient, accounts: QueryAccounts) {
    self.client = client
    self.accounts = accounts
  }
}
