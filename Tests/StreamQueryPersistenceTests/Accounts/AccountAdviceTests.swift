import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What the client of an account says about its stores.
struct AccountAdviceTests: AccountSuite {
  let simulation = Simulation(seed: 5)
  let store: SlowStore
  let told = Recorded<QueryMisuse>()

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func accounts(
    in stores: SlowStore,
    _ log: AdviceLog? = nil,
    _ change: @escaping @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryAccounts {
    QueryAccounts(in: stores, simulation: simulation) { [told] _, configuration in
      configuration.onMisuse = { told.append($0) }
      configuration.adviceLog = log
      change(&configuration)
    }
  }

  /// The rules after a query was fetched.
  private func rules(_ accounts: QueryAccounts, _ query: Query<String>) throws -> [String] {
    try simulation.run {
      let account = try await accounts.open("ada")
      expect(account.client.advice().map(\.rule) != ["accountKeepsNothing"])
      _ = try await account.client.fetch(query)
      return account.client.advice().map(\.rule)
    }
  }

  @Test("an account that has a store and keeps nothing there is told so")
  func keepsNothing() throws {
    try expectEqual(rules(accounts(in: store), Query(key: key) { "x" }), ["accountKeepsNothing"])
  }

  @Test("a configuration that keeps queries or runs, or a query that is kept, is enough")
  func keepsSomething() throws {
    let (plain, store) = (Query(key: key) { "x" }, store)
    try expectEqual(rules(accounts(), plain), [])
    let runs = accounts(in: store) { $0.outbox = OutboxConfiguration(in: store) }
    try expectEqual(rules(runs, plain), [])
    try expectEqual(rules(accounts(in: store), plain.persisted(in: store)), [])
  }

  @Test("accounts that were given no store live in memory, and that is meant")
  func memory() throws {
    try expectEqual(rules(QueryAccounts(simulation: simulation), Query(key: key) { "x" }), [])
  }

  @Test("a store that the accounts were not given is named before the account ends")
  func unlisted() throws {
    let other = SlowStore(clock: simulation.clock)
    let accounts = accounts(in: store) { $0.persistence = Persistence(in: other) }
    try expectEqual(rules(accounts, Query(key: key) { "x" }), ["unlistedStore"])
    let shared = self.accounts(in: store) {
      $0.persistence = Persistence(in: other, partition: "shared")
    }
    try expectEqual(rules(shared, Query(key: key) { "x" }), ["accountKeepsNothing"])
  }

  @Test("an account that has kept nothing says so when it ends, not when it begins")
  func reported() throws {
    let accounts = accounts(in: store, AdviceLog())
    try simulation.run {
      // Nothing was there to keep.
      try await accounts.open("bob").end()
      let account = try await accounts.open("ada")
      _ = try await account.client.fetch(Query(key: key) { "x" })
      expectEqual(told.values, [])
      try await account.end()
    }
    #if DEBUG
    let rules = told.values.map { if case .advice(let advice) = $0 { advice.rule } else { "" } }
    expectEqual(rules, ["accountKeepsNothing"])
    #endif
  }
}
