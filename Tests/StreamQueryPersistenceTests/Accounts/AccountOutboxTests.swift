import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// The changes of an account that wait to be sent.
struct AccountOutboxTests: AccountSuite {
  let simulation = Simulation(seed: 44)
  let store: SlowStore
  let online = ManualSignal(false)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private var note: Mutation<Note, String> {
    Mutation("note") { [server] input, context in try await server.send(input, context) }
      .scope("notes")
      .durable()
  }

  private func accounts() -> QueryAccounts {
    QueryAccounts(in: store, simulation: simulation) { [store, online, note] _, configuration in
      configuration.connectivity = Connectivity { online }
      configuration.outbox = OutboxConfiguration(in: store, mutations: [note])
    }
  }

  private var keptCount: Int { store.memory.load("account/ada").records.count }

  /// Opens an account and leaves two changes in its outbox.
  private func waiting(_ accounts: QueryAccounts) throws -> QueryAccount {
    let account = try simulation.run { try await accounts.open("ada") }
    simulation.settle()
    for number in 1...2 { account.client.observer(of: note).start(with: Note(number: number)) }
    simulation.advance(by: .seconds(1))
    expectEqual(account.client.outbox.currentItems.count, 2)
    expectEqual(keptCount, 2)
    return account
  }

  @Test("what waits when an account ends is never sent, and is kept nowhere")
  func ended() throws {
    let accounts = accounts()
    let ada = try waiting(accounts)
    let items = simulation.record(ada.client.outbox.items)
    simulation.settle()
    try simulation.run { try await ada.end() }
    expectEqual(items.values.map(\.count), [2, 0])
    expect(items.isFinished)
    expectEmpty(ada.client.outbox.currentItems)
    expectEqual(keptCount, 0)
    online.send(true)
    let again = try simulation.run { try await accounts.open("ada") }
    simulation.advance(by: .minutes(10))
    expectEmpty(server.log.all)
    expectEmpty(again.client.outbox.currentItems)
    try simulation.run { try await again.close() }
  }

  @Test("whoever shows what waits is told of the end, although the client is gone when it looks")
  func toldOfTheEnd() throws {
    func itemsOfTheEnded() throws -> AsyncStream<OutboxItems> {
      let ada = try waiting(accounts())
      let items = ada.client.outbox.items
      try simulation.run { try await ada.end() }
      return items
    }
    let items = simulation.record(try itemsOfTheEnded())
    simulation.settle()
    expectEqual(items.values.map(\.count), [0])
    expect(items.isFinished)
  }

  @Test("whoever shows that nothing waits is told nothing twice at the end")
  func nothingWaits() throws {
    let ada = try simulation.run { try await accounts().open("ada") }
    let items = simulation.record(ada.client.outbox.items)
    simulation.settle()
    try simulation.run { try await ada.end() }
    expectEqual(items.values.map(\.count), [0])
    expect(items.isFinished)
  }

  @Test("what waits when an account is closed is sent when it is opened again, in its order")
  func closed() throws {
    let accounts = accounts()
    let ada = try waiting(accounts)
    try simulation.run { try await ada.close() }
    expectEqual(keptCount, 2)
    online.send(true)
    let again = try simulation.run { try await accounts.open("ada") }
    simulation.advance(by: .seconds(1))
    expectEqual(
      server.log.all.map { $0.split(separator: " ")[1...].joined(separator: " ") },
      ["1", "1 done", "2", "2 done"]
    )
    expectEqual(keptCount, 0)
    try simulation.run { try await again.close() }
  }

  @Test("an account whose change waits for an outbox that is silent stays open")
  func closedBesideASilentOutbox() throws {
    let accounts = accounts()
    store.change { $0.loading = .seconds(30) }
    let ada = try simulation.run { try await accounts.open("ada") }
    ada.client.observer(of: note).start(with: Note(number: 1))
    simulation.settle()
    let closing = simulation.task { await kind { try await ada.close() } }
    simulation.advance(by: .seconds(15))
    expectEqual(simulation.run { await closing.value }, "not saved: ada")
    expectEqual(accounts.opened.count, 1)
    simulation.advance(by: .seconds(30))
    expectEqual(keptCount, 1)
    try simulation.run { try await ada.close() }
  }

  @Test("a change that is being written when the account ends is not there afterwards")
  func lateRecord() throws {
    let accounts = accounts()
    let ada = try simulation.run { try await accounts.open("ada") }
    simulation.settle()
    store.change { $0.writing = .seconds(2) }
    ada.client.observer(of: note).start(with: Note(number: 1))
    simulation.advance(by: .seconds(1))
    store.change { $0.writing = .zero }
    try simulation.run { try await ada.end() }
    simulation.advance(by: .minutes(10))
    expectEqual(keptCount, 0)
    expectEmpty(server.log.all)
  }

  @Test("what waits for an account whose end failed is not sent by the next launch")
  func nextLaunch() throws {
    do {
      let accounts = accounts()
      let ada = try waiting(accounts)
      store.change { $0.wipeErrors = [.denied] }
      simulation.run { await expectEqual(kind { try await ada.end() }, "not erased: ada, 1") }
      expectEqual(keptCount, 2)
    }
    online.send(true)
    let next = accounts()
    let ada = try simulation.run { try await next.open("ada") }
    simulation.advance(by: .minutes(10))
    expectEqual(keptCount, 0)
    expectEmpty(server.log.all)
    try simulation.run { try await ada.close() }
  }
}
