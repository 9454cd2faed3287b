@_spi(Adapters) import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Accounts, as a user of the library writes them.
struct AccountSamples {
  let simulation = Simulation()
  let store = MemoryStore()

  @Test func anAccountIsOpenedAndEnded() throws {
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      configuration.persistence = Persistence(in: store)
    }
    try simulation.run {
      let account = try await accounts.open("user-42")
      account.client.setData(1, for: "number" as QueryKey<Int>)
      expect(account.name == "user-42" && account.id == "user-42")
      expectEqual(accounts.opened.map(\.name), ["user-42"])
      try await account.end()
      expect(account.hasEnded && account.client.isErased)
      expectEmpty(accounts.opened)
      try await accounts.end("somebody else")
      try await accounts.finishEndings()
      let again = try await accounts.open("user-42")
      try await again.close()
    }
  }

  @Test func accountsOfAnAppHaveAConfiguration() {
    let accounts = QueryAccounts(in: store, configuration: .server) { name, configuration in
      configuration.limit = CacheLimit(maxEntries: name == "large" ? 10_000 : 1_000)
    }
    expectEmpty(accounts.opened)
  }

  @Test func adaptersAreToldOfTheEnd() throws {
    let accounts = QueryAccounts(in: store, simulation: simulation)
    let log = ManualSignal("shown")
    try simulation.run {
      let account = try await accounts.open("user-42")
      let handler = account.client.whenErased { log.send("erased") }
      try await account.end()
      expectNil(account.client.whenErased {})
      withExtendedLifetime(handler) {}
    }
  }

  @Test func aClientHasAPartition() throws {
    let client = QueryClient(simulation: simulation) { [store] in
      $0.partition = "account 1"
      $0.persistence = Persistence(in: store)
    }
    client.setData(1, for: "number" as QueryKey<Int>)
    try simulation.run { try await client.save() }
    expectEqual(store.load("account 1").records.count, 1)
  }
}
