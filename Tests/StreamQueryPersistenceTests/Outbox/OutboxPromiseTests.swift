import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private enum Whose {
  @TaskLocal static var name = "nobody"
}

/// What must not be lost, sent twice at a time, or sent out of order.
struct OutboxPromiseTests: OutboxSuite {
  let simulation = Simulation(seed: 9)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test("an onMutate that throws before the run was kept ends it, as for every mutation")
  func freshOnMutate() {
    let client = client()
    let run = simulation.start(
      note().onMutate { _, _ in throw Boom(1) },
      with: Note(number: 1),
      on: client
    )
    simulation.run { _ = await #expect(throws: Boom(1)) { try await run.value } }
    simulation.settle()
    expectEmpty(kept())
    expectEmpty(client.outbox.currentItems)
    expectEmpty(store.batches)
    client.shutDown()
  }

  @Test("an onMutate that throws does not lose a run that was kept by an earlier process")
  func restoredOnMutate() throws {
    online.send(false)
    let client = client()
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: client) }
    let next = kill(client)
    online.send(true)
    let fails = Notes<Bool>()
    let mutation = note().onMutate { input, _ in
      if input.number == 1, fails.all.count < 2 {
        fails.add(true)
        if fails.all.count == 1 { throw CancellationError() }
        throw Boom(1)
      }
    }
    let other = self.client(in: next)
    let events = simulation.record(other.events)
    other.outbox.register(mutation)
    simulation.advance(by: .seconds(60))
    expectEqual(
      shown(other.outbox.currentItems),
      ["1 stopped (CancellationError()) !1", "2 waiting"]
    )
    expectEqual(kept(in: next).count, 2)
    expectEqual(failures(events).count, 1)
    let id = try #require(other.outbox.currentItems.first?.id)
    expect(other.outbox.retry(id))
    simulation.advance(by: .seconds(1))
    expectEqual(shown(other.outbox.currentItems), ["1 stopped (boom 1) !1", "2 waiting"])
    expectEmpty(server.log.all)
    other.outbox.retry(id)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }.count, 2)
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("records of a mutation that is not known wait, in sight, and so does their scope")
  func unregistered() {
    online.send(false)
    let client = client()
    simulation.start(note("old"), with: Note(number: 1), on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    simulation.start(note().scope("apart"), with: Note(number: 3), on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    simulation.start(note(), with: Note(number: 4), on: other)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["0 3", "10 3 done"])
    expectEqual(shown(other.outbox.currentItems), ["1 unregistered", "2 unregistered", "4 saving"])
    expectEqual(kept(in: next).count, 3)
    other.outbox.register(note("old"))
    simulation.advance(by: .seconds(5))
    expectEqual(
      server.log.all.dropFirst(2),
      ["5000 1", "5010 1 done", "5010 2", "5020 2 done", "5020 4", "5030 4 done"]
    )
    other.shutDown()
  }

  @Test("a record that nobody will ever know is dropped, and its scope goes on")
  func dropUnregistered() throws {
    online.send(false)
    let client = client()
    simulation.start(note("old"), with: Note(number: 1), on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    simulation.start(note(), with: Note(number: 3), on: other)
    let id = try #require(other.outbox.currentItems.first?.id)
    try simulation.run { try await other.outbox.drop(id) }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }, ["10 2 done", "20 3 done"])
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("an input of another version is migrated, or waits for an answer")
  func versions() throws {
    online.send(false)
    let client = client()
    let old = Mutation<[String], String>(key: "note") { _ in "" }.scope("notes").durable(
      version: "1"
    )
    simulation.start(old, with: ["7", "x"], on: client)
    simulation.start(old, with: ["no number"], on: client)
    simulation.start(old, with: ["8"], on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next)
    let events = simulation.record(other.events)
    other.outbox.register(note())
    simulation.settle()
    expectEqual(failures(events).count, 3)
    expectEmpty(server.log.all)
    let migrating = Mutation<Note, String>(key: "note") { [server] in try await server.send($0, $1)
    }
    .scope("notes")
    .durable(version: "2") { json, version in
      let parts = try JSONDecoder().decode([String].self, from: json)
      guard version == "1", let number = Int(parts[0]) else { throw Boom(4) }
      return Note(number: number)
    }
    other.outbox.register(migrating)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 7", "10 7 done"])
    let items = other.outbox.currentItems
    expectEqual(items.count, 2)
    try simulation.run { try await other.outbox.rebase(items[0].id, with: Note(number: 5)) }
    simulation.advance(by: .seconds(1))
    expectEqual(
      server.log.all.filter { $0.hasSuffix("done") }.map { $0.suffix(6) },
      [
        "7 done", "5 done", "8 done",
      ]
    )
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("damaged records are told of, stay where they are, and hold nobody up")
  func damaged() throws {
    online.send(false)
    let client = client()
    for number in 1...3 { simulation.start(note(), with: Note(number: number), on: client) }
    let next = kill(client)
    var records = next.memory.load(.main).records
    records[1].value[9] ^= 0xff
    records.append(StoreRecord(key: "outbox/what", value: records[0].value))
    records.append(StoreRecord(key: "query/what", value: records[0].value))
    try next.memory.write(StoreBatch(generation: .first, puts: records), to: .main)
    let bad = [records[1], records[3], records[4]]
    online.send(true)
    let other = self.client(in: next)
    let events = simulation.record(other.events)
    simulation.settle()
    other.outbox.register(note())
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }, ["10 1 done", "20 3 done"])
    expectEqual(next.memory.load(.main).records, bad)
    _ = events
    other.shutDown()
  }

  @Test("damage is told in events from the beginning")
  func damageEvents() throws {
    let broken = StoreRecord(key: "outbox/00000000000000000001-x", value: .init("SQO1".utf8))
    try store.memory.write(StoreBatch(generation: .first, puts: [broken]), to: .main)
    let told = Notes<String>()
    let client = client {
      $0.onEvent = { event in
        if case .persistenceFailed(let error) = event.kind { told.add("\(error)") }
      }
    }
    expectEqual(told.all.count, 1)
    expectEqual(told.all.first?.contains(broken.key), true)
    client.shutDown()
  }

  @Test("of two clients of one store, each sends what it wrote, and nothing is sent twice")
  func twoClients() {
    online.send(false)
    let first = client(knowing: [note()])
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: first) }
    let second = client(knowing: [note()])
    for number in 3...4 { simulation.start(note(), with: Note(number: number), on: second) }
    expectEqual(shown(second.outbox.currentItems), ["3 waiting", "4 waiting"])
    expectEqual(kept().count, 4)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(Set(server.keys.all).count, 4)
    expectEqual(server.keys.all.count, 4)
    expectEmpty(kept())
    first.shutDown()
    second.shutDown()
  }

  @Test("what an ended client leaves is sent by the other client of the store")
  func handOver() {
    online.send(false)
    let first = client(knowing: [note()])
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: first) }
    let second = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 3), on: second)
    first.shutDown()
    simulation.settle()
    expectEqual(shown(second.outbox.currentItems), ["1 waiting", "2 waiting", "3 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.keys.all.count, 3)
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("an archive with durable runs makes no second run, and holds nobody up")
  func archives() {
    online.send(false)
    let client = client(knowing: [note()])
    let plain = Mutation<Note, String>(key: "plain") { [server] in try await server.send($0, $1) }
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.start(plain, with: Note(number: 2), on: client)
    let archive = client.export().archive
    expectEqual(archive.mutations.count, 2)
    expectEqual(
      client.import(archive, for: [.mutation(note()), .mutation(plain)]).mutationCount,
      0
    )
    let next = kill(client)
    // Imported before the store was read.
    next.change { $0.loading = .seconds(1) }
    let other = self.client(in: next, knowing: [note()])
    expectEqual(other.import(archive, for: [.mutation(note()), .mutation(plain)]).mutationCount, 2)
    online.send(true)
    simulation.advance(by: .milliseconds(500))
    expectEqual(server.log.all, ["0 2", "10 2 done"])
    simulation.advance(by: .seconds(2))
    expectEqual(server.log.all, ["0 2", "10 2 done", "1000 1", "1010 1 done"])
    expectEmpty(kept(in: next))
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 0)
    other.shutDown()
  }

  @Test("an archive does not bring a run whose record waits for its mutation")
  func archiveOfUnregistered() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let archive = client.export().archive
    let other = self.client(in: kill(client))
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 0)
    online.send(true)
    other.outbox.register(note())
    simulation.advance(by: .seconds(1))
    expectEqual(server.keys.all.count, 1)
    other.shutDown()
  }

  @Test("a run of an archive is kept like any other")
  func importedRun() {
    online.send(false)
    let client = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    let plain = Mutation<Note, String>(key: "note") { [server] in try await server.send($0, $1) }
    simulation.start(plain, with: Note(number: 1), on: client)
    let archive = client.export().archive
    client.shutDown()
    let other = self.client()
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.settle()
    expectEqual(kept().count, 1)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    other.shutDown()
  }

  @Test("a durable run sees the task-locals of its caller, however long it is written")
  func taskLocals() {
    store.change { $0.writing = .milliseconds(50) }
    let client = client()
    let seen = Notes<String>()
    let mutation = Mutation<Note, Void>("see") { _ in seen.add(Whose.name) }.durable()
    Whose.$name.withValue("somebody") {
      client.observer(of: mutation).start(with: Note(number: 1))
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["somebody"])
    client.shutDown()
  }

  @Test("a client with an outbox is released, and keeps nothing of its users alive")
  func released() {
    online.send(false)
    final class Witness: Sendable {}
    var witness: Witness? = Witness()
    weak let gone = witness
    var client: QueryClient? = client()
    weak let goneClient = client
    if let client, let held = witness {
      let mutation = note().onSuccess { _, _ in withExtendedLifetime(held) {} }
      client.outbox.register(mutation)
      client.observer(of: mutation).start(with: Note(number: 1))
    }
    simulation.settle()
    expectEqual(kept().count, 1)
    witness = nil
    client = nil
    simulation.advance(by: .seconds(20))
    expectNil(goneClient)
    expectNil(gone)
    expectEqual(kept().count, 1)
  }

  @Test("a partition that is wiped takes its runs with it")
  func wiped() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    _ = store.memory.wipe(.main)
    let run = simulation.start(note(), with: Note(number: 2), on: client)
    simulation.run { _ = await #expect(throws: OutboxError.self) { try await run.value } }
    online.send(true)
    simulation.advance(by: .seconds(10))
    expectEmpty(server.log.all)
    expectEmpty(client.outbox.currentItems)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a partition that is wiped takes the items with it that have no run yet")
  func wipedUnregistered() {
    online.send(false)
    let client = client()
    simulation.start(note("later"), with: Note(number: 1), on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next)
    simulation.start(note(), with: Note(number: 2), on: other)
    expectEqual(shown(other.outbox.currentItems), ["1 unregistered", "2 saving"])
    _ = next.memory.wipe(.main)
    let run = simulation.start(note(), with: Note(number: 3), on: other)
    simulation.run { _ = await #expect(throws: OutboxError.self) { try await run.value } }
    expectEmpty(shown(other.outbox.currentItems))
    other.outbox.register(note("later"))
    simulation.advance(by: .seconds(10))
    expectEmpty(server.log.all)
    expectEmpty(other.outbox.currentItems)
    other.shutDown()
  }

  @Test("a registered mutation without its work does not lose its runs")
  func missingPerform() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let next = kill(client)
    online.send(true)
    let bare = Mutation<Note, String>(key: ["note"]).durable()
    let other = self.client(in: next, knowing: [bare])
    simulation.advance(by: .seconds(60))
    expectEqual(shown(other.outbox.currentItems), ["1 unregistered"])
    other.setMutationDefaults(for: "note") { [server] input, context in
      guard let note = input as? Note else { throw Boom(1) }
      return try await server.send(note, context)
    }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["60000 1", "60010 1 done"])
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test(
    "a run whose callback awaits a refetch that waits for the app does not hold up its scope",
    arguments: [false, true]
  )
  func callbackBehindTheApp(isOffline: Bool) {
    let active = ManualSignal(true)
    let client = client { $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(.value(0), .failure(Boom(1)), .value(1))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    if !isOffline {
      active.send(false)
      simulation.settle()
    }
    let mutation = note().onSuccess { _, context in
      await context.client.invalidate("n" as QueryKey<Int>)
    }
    for number in 1...2 { simulation.start(mutation, with: Note(number: number), on: client) }
    simulation.advance(by: .milliseconds(100))
    if isOffline {
      // The fetch is paused for the network, before the app is inactive.
      online.send(false)
      simulation.advance(by: .seconds(2))
      active.send(false)
      simulation.settle()
      online.send(true)
    }
    simulation.advance(by: .seconds(10))
    let ends = server.log.all.filter { $0.hasSuffix("done") }.map { $0.suffix(6) }
    expectEqual(ends, ["1 done", "2 done"])
    expectEmpty(kept())
    recording.cancel()
    client.shutDown()
  }

  @Test("cache and outbox share a partition, and neither touches the records of the other")
  func sharedPartition() throws {
    online.send(false)
    let key: QueryKey<Int> = ["n", 1]
    let store = store
    let client = client(knowing: [note()]) { $0.persistence = Persistence(in: store) }
    client.setData(1, for: key)
    simulation.start(note(), with: Note(number: 1), on: client)
    try simulation.run { try await client.save() }
    let next = kill(client)
    expectEqual(next.memory.load(.main).records.count, 2)
    let other = self.client(in: next) { $0.persistence = Persistence(in: next) }
    other.outbox.register(note())
    try simulation.run { try await other.restore() }
    expectEqual(other.data(for: key), 1)
    expectEqual(shown(other.outbox.currentItems), ["1 waiting"])
    other.clear()
    simulation.advance(by: .seconds(5))
    expectEqual(next.memory.load(.main).records.map { $0.key.prefix(7) }, ["outbox/"])
    other.shutDown()
  }
}
