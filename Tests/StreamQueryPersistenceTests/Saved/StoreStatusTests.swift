import StreamQuery
import StreamQueryTesting
import Testing

@_spi(Adapters) @testable import StreamQueryPersistence

/// What a developer tool learns of the stores of a client.
struct StoreStatusTests {
  private let simulation = Simulation(seed: 34)
  private let store: SlowStore

  init() { store = SlowStore(clock: simulation.clock) }

  private func client() -> QueryClient {
    QueryClient(simulation: simulation) { [store] in
      $0.persistence = Persistence(in: store)
    }
  }

  private func states(_ client: QueryClient) -> [String] {
    client.storeStatuses.map { status in
      let state =
        switch status.state {
        case .reading: "reading"
        case .failing(let error): "failing \(error)"
        case .open: "open"
        case .closed(let error): "closed \(error)"
        }
      let counts = "\(status.recordCount) + \(status.pendingCount)"
      return "\(status.content) \(status.partition) \(state), \(counts)"
    }
  }

  private func writeErrors(_ client: QueryClient) -> [String] {
    client.storeStatuses.compactMap { $0.writeError?.description }
  }

  @Test func aClientWithoutAStoreHasNone() {
    expectEmpty(QueryClient(simulation: simulation).storeStatuses)
  }

  @Test func aStoreIsReadAndThenHasWhatWasWritten() {
    store.change { ($0.loading, $0.writing) = (.seconds(2), .seconds(2)) }
    let client = client()
    simulation.settle()
    expectEqual(states(client), ["queries main reading, 0 + 0"])
    simulation.advance(by: .seconds(2))
    expectEqual(states(client), ["queries main open, 0 + 0"])
    for number in 0..<3 { client.setData(number, for: ["n", number]) }
    expectEqual(states(client), ["queries main open, 0 + 1"])
    simulation.advance(by: .seconds(2))
    expectEqual(states(client), ["queries main open, 3 + 3"])
    simulation.advance(by: .seconds(2))
    expectEqual(states(client), ["queries main open, 3 + 0"])
    expectEqual(client.storeStatuses.map { $0.store === store }, [true])
    client.shutDown()
  }

  @Test func aStoreOfFilesIsNamedAfterItsDirectoryWithoutThePath() {
    let stores: [any QueryStore] = [
      FileStore(directory: "/home/ada/app/cache/", system: SimulatedDisk()),
      FileStore(directory: "/home/ada/drafts", system: SimulatedDisk()),
      FileStore(directory: "/", system: SimulatedDisk()),
      MemoryStore(),
    ]
    let names = stores.map { store in
      StoreStatus(
        store: store,
        partition: "main",
        content: .queries,
        state: .open,
        recordCount: 0,
        pendingCount: 0
      )
      .name
    }
    expectEqual(names, ["FileStore cache", "FileStore drafts", "FileStore", "MemoryStore"])
  }

  @Test func aRecordNamesAStoreThatFailsAsItsStatusDoes() {
    let disk = SimulatedDisk()
    let clients = (0..<2).map { _ in
      let store = FileStore(directory: "/home/ada/cache", system: disk)
      return QueryClient(simulation: simulation) {
        $0.record = .last(100)
        $0.persistence = Persistence(in: store)
      }
    }
    simulation.settle()
    for client in clients { client.setData("Ada", for: QueryKey<String>("name")) }
    simulation.advance(by: .minutes(1))
    // One of them has the directory, and the other one fails.
    let failed = clients.flatMap { $0.record.events }.compactMap { event -> String? in
      if case .persistenceFailed(_, let store, _) = event.kind { store } else { nil }
    }
    expectEqual(Set(failed), ["FileStore cache"])
    for client in clients { client.shutDown() }
  }

  @Test func aRecordSaysWhichOfTwoEntriesWithOneKeyWasNotSaved() {
    for isFirst in [false, true] {
      let client = QueryClient(simulation: simulation) {
        $0.record = .last(100)
        var persistence = Persistence(in: MemoryStore())
        persistence.limit = StoreLimit(maxBytes: 100)
        $0.persistence = persistence
      }
      simulation.settle()
      let large = String(repeating: "x", count: 200)
      if isFirst { client.setData(large, for: QueryKey<String>("name")) }
      client.setData(1, for: QueryKey<Int>("name"))
      if !isFirst { client.setData(large, for: QueryKey<String>("name")) }
      simulation.advance(by: .minutes(1))
      let failed = client.record.events.compactMap { event -> Int? in
        if case .persistenceFailed(let key, _, _) = event.kind { key } else { nil }
      }
      expectEqual(failed, [isFirst ? 1 : 2])
      client.shutDown()
    }
  }

  @Test func aStoreThatFailsAndOneThatCannotBeUsedSayWhy() {
    store.change { $0.loadError = .full }
    let client = client()
    simulation.settle()
    expectEqual(states(client), ["queries main failing \(QueryStoreError.full), 0 + 0"])
    store.change { $0.loadError = .inUse }
    simulation.advance(by: .minutes(5))
    expectEqual(states(client), ["queries main closed \(QueryStoreError.inUse), 0 + 0"])
    client.shutDown()
  }

  @Test func changesThatAreNotWrittenWait() {
    let client = client()
    simulation.settle()
    store.change { $0.writeErrors = Array(repeating: .denied, count: 100) }
    for number in 0..<3 { client.setData(number, for: ["n", number]) }
    simulation.advance(by: .seconds(3))
    expectEqual(client.storeStatuses.first?.pendingCount, 3)
    expectEqual(writeErrors(client), ["\(QueryStoreError.denied)"])
    store.change { $0.writeErrors = [] }
    simulation.advance(by: .minutes(5))
    expectEqual(states(client), ["queries main open, 3 + 0"])
    expectEqual(writeErrors(client), [])
    client.shutDown()
  }

  @Test func theStoreOfTheOutboxHasItsRuns() throws {
    let online = ManualSignal(false)
    let send = Mutation<Int, Void>("send") { (_: Int) in }.durable()
    let client = QueryClient(simulation: simulation) { [store] in
      $0.connectivity = Connectivity { online }
      $0.outbox = OutboxConfiguration(in: store, partition: "sent", mutations: [send])
    }
    simulation.settle()
    expectEqual(states(client), ["runs sent open, 0 + 0"])
    store.change { $0.writing = .seconds(2) }
    simulation.task { try await client.mutate(send, with: 7) }
    simulation.advance(by: .seconds(1))
    expectEqual(states(client), ["runs sent open, 1 + 1"])
    simulation.advance(by: .seconds(2))
    expectEqual(states(client), ["runs sent open, 1 + 0"])
    store.change { $0.writeErrors = [.full] }
    simulation.task { try await client.mutate(send, with: 8) }
    simulation.advance(by: .milliseconds(2_500))
    expectEqual(writeErrors(client), ["\(QueryStoreError.full)"])
    simulation.advance(by: .minutes(1))
    expectEqual(states(client), ["runs sent open, 2 + 0"])
    expectEqual(writeErrors(client), [])
    online.send(true)
    simulation.advance(by: .seconds(10))
    expectEqual(states(client), ["runs sent open, 0 + 0"])
    client.shutDown()
  }
}

/// What a developer tool learns of the accounts beside a client.
struct KnownAccountsTests: AccountSuite {
  let simulation = Simulation(seed: 34)
  let store: SlowStore

  init() { store = SlowStore(clock: simulation.clock) }

  @Test func aClientOfAnAccountKnowsItsAccountsWithoutRetainingThem() throws {
    var accounts: QueryAccounts? = accounts()
    let ada = try simulation.run { [accounts] in try await accounts?.open("ada").client }
    let client = try #require(ada)
    #expect(client.accounts === accounts)
    expectEqual(client.accounts?.opened.map(\.name), ["ada"])
    expectNil(QueryClient(simulation: simulation).accounts)
    weak let former = accounts
    accounts = nil
    simulation.settle()
    expect(former == nil && client.accounts == nil)
  }

  @Test func anAccountThatIsNotErasedYetIsKnown() throws {
    let accounts = accounts()
    let ada = try simulation.run { try await accounts.open("ada") }
    expectEqual(accounts.unfinishedNames, [])
    store.change { $0.wipeErrors = [.full] }
    simulation.run { try? await ada.end() }
    expect(accounts.opened.isEmpty && accounts.unfinishedNames == ["ada"])
    try simulation.run { try await accounts.finishEndings() }
    expectEqual(accounts.unfinishedNames, [])
  }
}
