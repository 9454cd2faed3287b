import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which client sends what, while others begin and end.
struct OutboxEndTests: OutboxSuite {
  let simulation = Simulation(seed: 11)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test("what an ended client is still sending is sent by the next one when that is over")
  func oneAtATime() {
    // A request that cannot be called back.
    let held = TestLock<CheckedContinuation<Void, Never>?>(nil)
    let stubborn = Mutation<Note, String>(key: "note") { [server] input, context in
      guard server.log.all.isEmpty else { return try await server.send(input, context) }
      server.log.add("begins")
      await withCheckedContinuation { continuation in held.withLock { $0 = continuation } }
      server.log.add("ends")
      return ""
    }
    .scope("notes")
    .durable()
    let first = client(knowing: [stubborn])
    let second = client(knowing: [stubborn])
    for number in 1...2 { simulation.start(stubborn, with: Note(number: number), on: first) }
    simulation.start(note("free").scope("free"), with: Note(number: 3), on: first)
    second.outbox.register(note("free"))
    first.shutDown()
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["begins", "0 3", "0 3", "10 3 done"])
    held.withLock { $0.take() }?.resume()
    simulation.advance(by: .seconds(1))
    expectEqual(
      server.log.all.dropFirst(4),
      ["ends", "1000 1", "1010 1 done", "1010 2", "1020 2 done"]
    )
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("a record that was sent while another client read the store is not sent again")
  func staleReading() {
    let store = StaleStore(clock: simulation.clock)
    func make() -> QueryClient {
      QueryClient(simulation: simulation) {
        $0.outbox = OutboxConfiguration(in: store, mutations: [note()])
      }
    }
    let first = make()
    simulation.settle()
    simulation.start(note(), with: Note(number: 1), on: first)
    store.wait.withLock { $0 = .milliseconds(100) }
    let second = make()
    simulation.advance(by: .milliseconds(50))
    simulation.start(note(), with: Note(number: 2), on: first)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done", "50 2", "60 2 done"])
    first.shutDown()
    second.shutDown()
  }

  @Test("a run that drops its own item in a callback does not wait for itself")
  func dropInOwnCallback() {
    let client = client()
    let mutation = note().onSettled { _, context in
      try? await context.client.outbox.drop(context.idempotencyKey)
    }
    simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["0 1", "10 1 done", "10 2", "20 2 done"])
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("an item is dropped while the store is read, whatever callbacks it has")
  func dropWhileLoading() {
    store.change { $0.loading = .seconds(5) }
    let mutation = note().onSettled { _, _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(1))
    }
    let client = client()
    simulation.start(mutation, with: Note(number: 1), on: client)
    let id = client.outbox.currentItems[0].id
    let drop = simulation.task { try? await client.outbox.drop(id) }
    simulation.run { await drop.value }
    expectEqual(simulation.clock.now.offset, .milliseconds(1))
    expectEmpty(client.outbox.currentItems)
    simulation.advance(by: .seconds(10))
    expect(kept().isEmpty && server.log.all.isEmpty)
    client.shutDown()
  }

  private func answers(_ client: QueryClient, _ id: OutboxItem.ID) -> [String] {
    simulation.run {
      var answers: [String] = []
      do { try await client.outbox.drop(id) } catch { answers.append("\(type(of: error))") }
      do {
        try await client.outbox.rebase(id, with: Note(number: 7))
      } catch {
        answers.append("\(type(of: error))")
      }
      return answers + ["\(client.outbox.retry(id))"]
    }
  }

  @Test("a client that has ended leaves the records to its successor")
  func afterTheEnd() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let id = first.outbox.currentItems[0].id
    first.shutDown()
    simulation.settle()
    let second = client(knowing: [note()])
    expectEqual(answers(first, id), ["QueryError", "QueryError", "false"])
    simulation.settle()
    expectEqual(kept(), ["{number:1,text:}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    second.shutDown()
  }

  @Test(
    "save after the end waits for the outbox, and tells why it is not written",
    arguments: [false, true],
    [false, true]
  )
  func saveAfterTheEnd(fails: Bool, isLate: Bool) throws {
    online.send(false)
    let client = client(knowing: [note()])
    store.change {
      $0.writing = .seconds(1)
      $0.writeErrors = fails ? [.denied, .denied] : []
    }
    simulation.start(note(), with: Note(number: 1), on: client)
    client.shutDown()
    if isLate { simulation.advance(by: .seconds(5)) }
    if fails {
      simulation.run { [client] in
        _ = await #expect(throws: QueryStoreError.self) { try await client.save() }
      }
    } else {
      try simulation.run { [client] in try await client.save() }
      expectEqual(kept().count, 1)
    }
    simulation.settle()
  }

  @Test("an outbox that cannot be read has nothing that save after the end misses")
  func saveAfterTheEndUnread() throws {
    store.change { $0.loadError = .denied }
    let client = client(knowing: [note()])
    client.shutDown()
    simulation.settle()
    try simulation.run { [client] in try await client.save() }
  }

  @Test("who waits for a drop is told if the client ends before the store knows it")
  func dropAtTheEnd() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let id = client.outbox.currentItems[0].id
    store.change { $0.writeErrors = Array(repeating: .denied, count: 100) }
    let drop = simulation.task { try await client.outbox.drop(id) }
    simulation.advance(by: .milliseconds(100))
    client.shutDown()
    simulation.run { _ = await #expect(throws: QueryError.self) { try await drop.value } }
    expectEqual(kept().count, 1)
  }

  @Test("runs that are not durable wait for a store that fails at first")
  func plainAfterFailure() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let next = kill(first)
    online.send(true)
    next.change { $0.loadError = .denied }
    let second = client(in: next, knowing: [note()])
    let plain = Mutation<Note, String>(key: "plain") { [server] in try await server.send($0, $1) }
    simulation.start(plain.scope("notes"), with: Note(number: 2), on: second)
    expectEmpty(server.log.all)
    next.change { $0.loadError = nil }
    simulation.advance(by: .seconds(5))
    expectEqual(
      server.log.all.filter { $0.hasSuffix("done") }.map { $0.suffix(6) },
      ["1 done", "2 done"]
    )
    second.shutDown()
  }
}
