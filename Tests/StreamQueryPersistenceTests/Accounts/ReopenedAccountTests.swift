import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// The end of what was opened before, when somebody has opened the account again.
struct ReopenedAccountTests: AccountSuite {
  let simulation = Simulation(seed: 43)
  let store: SlowStore

  init() { store = SlowStore(clock: simulation.clock) }

  private func filled(_ accounts: QueryAccounts, _ value: String) async throws -> QueryAccount {
    let account = try await accounts.open("ada")
    try await account.client.restore()
    account.client.setData(value, for: key)
    try await account.client.save()
    return account
  }

  /// What the next launch finds.
  private func keptAfterLaunch() -> [String] {
    let next = accounts()
    simulation.advance(by: .minutes(10))
    withExtendedLifetime(next) {}
    return kept("ada")
  }

  @Test("the second end of an account erases nothing of the one that was opened since")
  func secondEnd() throws {
    let accounts = accounts()
    let old = try simulation.run { try await filled(accounts, "old") }
    store.change { $0.wiping = .seconds(5) }
    let first = simulation.task { try await old.end() }
    simulation.advance(by: .seconds(1))
    let opening = simulation.task { try await filled(accounts, "new") }
    simulation.advance(by: .seconds(1))
    let second = simulation.task { try await old.end() }
    simulation.advance(by: .seconds(60))
    try simulation.run {
      try await first.value
      let new = try await opening.value
      try await second.value
      try await old.end()
      expect(!new.hasEnded && new.client.data(for: key) == "new")
    }
    expect(kept("ada") == [#""new""#] && notes.isEmpty)
    expectEqual(keptAfterLaunch(), [#""new""#])
  }

  @Test("what is ended while it is closed, and opened meanwhile, is erased before it is opened")
  func endDuringClose() throws {
    // The note is there before the opening's turn comes, or after it.
    for writing in [Duration.zero, .seconds(5)] {
      let accounts = accounts()
      let old = try simulation.run { try await filled(accounts, "old") }
      old.client.setData("changed", for: key)
      store.change { $0.writing = .seconds(5) }
      let closing = simulation.task { await kind { try await old.close() } }
      simulation.advance(by: .seconds(1))
      let opening = simulation.task { try await filled(accounts, "new") }
      simulation.advance(by: .seconds(1))
      store.change { $0.writing = writing }
      let ending = simulation.task { try await old.end() }
      simulation.advance(by: .minutes(5))
      try simulation.run {
        await expectEqual(closing.value, "none")
        let new = try await opening.value
        try await ending.value
        expect(old.hasEnded && !new.hasEnded)
        expectEqual(accounts.opened.map { $0.client === new.client }, [true])
        expectEqual(new.client.data(for: key), "new")
      }
      expectEqual(kept("ada"), [#""new""#])
      expect(notes.isEmpty && store.memory.load("accounts-copy").records.isEmpty)
      expectEqual(keptAfterLaunch(), [#""new""#])
      store.change { $0.writing = .zero }
      try simulation.run { try await accounts.end("ada") }
    }
  }
}
