import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Inputs that take the place of others, and what of them cannot be kept.
struct OutboxRebaseTests: OutboxSuite {
  /// A number that is written unless it is negative.
  struct Picky: Codable, Sendable {
    struct Negative: Error {}

    var number: Int

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      if number < 0 { throw Negative() }
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  let simulation = Simulation(seed: 10)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private var picky: Mutation<Picky, String> {
    Mutation(key: "picky") { [server] input, context in
      try await server.send(Note(number: input.number), context)
    }
    .durable()
  }

  private func rebase(
    _ client: QueryClient,
    _ id: OutboxItem.ID,
    _ input: some Sendable
  ) -> String {
    simulation.run {
      do {
        try await client.outbox.rebase(id, with: input)
        return "rebased"
      } catch {
        return "\(error)"
      }
    }
  }

  @Test("an input that cannot be written changes nothing, and its caller is told")
  func unwritable() {
    online.send(false)
    let client = client()
    simulation.start(picky, with: Picky(1), on: client)
    let answer = rebase(client, client.outbox.currentItems[0].id, Picky(-1))
    #expect(answer.contains("cannot be kept"))
    expectEqual(kept().map { $0.suffix(1) }, ["1"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    client.shutDown()
  }

  @Test("an answer that cannot be written stops the item, and loses nothing")
  func unwritableAnswer() {
    let client = client()
    let events = simulation.record(client.events)
    server.fail(1, Boom(1))
    let mutation = picky.onConflict { _, _, _ in .rebase(Picky(-1)) }
    simulation.start(mutation, with: Picky(1), on: client)
    simulation.advance(by: .seconds(10))
    expectEqual(kept().count, 1)
    expectEqual(client.outbox.currentItems.stopped.count, 1)
    expectEqual(failures(events).count, 2)
    expectEqual(failures(events).last, "stopped: boom 1")
    expect(client.outbox.retry(client.outbox.currentItems[0].id))
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.last?.hasSuffix("1 done"), true)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("who answers each error with another input waits longer each time, and sees how often")
  func loop() {
    let client = client()
    let attempts = Notes<Int>()
    for number in 1...9 { server.fail(number, Boom(number)) }
    let mutation = note().onConflict { _, input, context in
      attempts.add(context.attempt)
      return context.attempt < 3 ? .rebase(Note(number: input.number + 1)) : .ask
    }
    simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(100))
    expectEqual(attempts.all, [0, 1, 2, 3])
    expectEqual(
      server.log.all.filter { !$0.hasSuffix("failed") },
      ["0 1", "1010 2", "3020 3", "7030 4"]
    )
    expectEqual(Set(server.keys.all).count, 4)
    expectEqual(shown(client.outbox.currentItems), ["4 stopped (boom 4) !4"])
    client.shutDown()
  }

  @Test("a mutation of other types under the same name is not mixed up with the first")
  func sameName() {
    online.send(false)
    let client = client()
    let events = simulation.record(client.events)
    let other = Mutation<Picky, String>(key: "note") { _ in "" }.durable()
    simulation.start(note(), with: Note(number: 1), on: client)
    for number in 2...3 { simulation.start(other, with: Picky(number), on: client) }
    let items = client.outbox.currentItems
    #expect(rebase(client, items[1].id, Note(number: 7)).hasPrefix("the input is not of the type"))
    expectEqual(rebase(client, items[1].id, Picky(7)), "rebased")
    expectEqual(rebase(client, items[0].id, Note(number: 8)), "rebased")
    expectEqual(failures(events).count, 1)
    expectEqual(failures(events).first?.contains("other types"), true)
    client.shutDown()
  }

  @Test("an item that was not read is sent with its new input when that is written")
  func unwrittenOpen() throws {
    online.send(false)
    let client = client()
    let old = Mutation<[String], String>(key: "note") { _ in "" }.scope("notes").durable()
    simulation.start(old, with: ["7"], on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    let id = other.outbox.currentItems[0].id
    next.change { $0.writing = .seconds(1) }
    let rebase = simulation.task { try await other.outbox.rebase(id, with: Note(number: 5)) }
    simulation.advance(by: .milliseconds(100))
    expect(!other.outbox.retry(id))
    simulation.advance(by: .milliseconds(800))
    expectEmpty(server.log.all)
    simulation.advance(by: .milliseconds(200))
    expectEqual(server.log.all, ["1000 5", "1010 5 done"])
    try simulation.run { try await rebase.value }
    other.shutDown()
  }

  @Test("a temporary identifier in a new input is replaced as in the first one")
  func mentions() throws {
    let create = note("create").replacingIDs { input, real in [input.text: real] }
    let client = client()
    simulation.start(create, with: Note(number: 1, text: "a"), on: client)
    simulation.advance(by: .seconds(1))
    online.send(false)
    simulation.start(create, with: Note(number: 3, text: "b"), on: client)
    simulation.start(note(), with: Note(number: 4), on: client)
    let id = client.outbox.currentItems[1].id
    expectEqual(rebase(client, id, Note(number: 4, text: "b")), "rebased")
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.last?.hasSuffix("4real3 done"), true)
    client.shutDown()
  }

  @Test("so it is in the new input of an item that was not read, if the real one is known by then")
  func mentionsInUnread() {
    online.send(false)
    let client = client()
    let old = Mutation<[String], String>(key: "note") { _ in "" }.scope("notes").durable()
    simulation.start(old, with: ["7"], on: client)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    let create = note("create").scope("apart").replacingIDs { input, real in [input.text: real] }
    simulation.start(create, with: Note(number: 1, text: "a"), on: other)
    simulation.advance(by: .seconds(1))
    expectEqual(other.outbox.currentItems.count, 1)
    let id = other.outbox.currentItems[0].id
    expectEqual(rebase(other, id, Note(number: 5, text: "a")), "rebased")
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.last?.hasSuffix("5real1 done"), true)
    other.shutDown()
  }

  @Test("a store that closes fails what it does not have, and leaves what it has")
  func closed() {
    online.send(false)
    let client = client()
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    let next = kill(client)
    simulation.run { _ = try? await run.value }
    online.send(true)
    let other = self.client(in: next)
    let second = simulation.start(note("later"), with: Note(number: 2), on: other)
    next.change { $0.writeErrors = [.closed] }
    let third = simulation.start(note("third").scope("z"), with: Note(number: 3), on: other)
    simulation.run { _ = await #expect(throws: OutboxError.self) { try await third.value } }
    expectEqual(shown(other.outbox.currentItems), ["1 unregistered", "2 saving"])
    other.outbox.register(note())
    expectEqual(simulation.run { try? await second.value }, "real2")
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }.count, 2)
    other.shutDown()
  }

  @Test("a new input that can never be written stops its item, whose old one is kept")
  func closedRebase() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    store.change { $0.writeErrors = [.closed] }
    let answer = rebase(client, client.outbox.currentItems[0].id, Note(number: 2))
    #expect(answer.hasPrefix("the mutation was not sent"))
    expectEqual(client.outbox.currentItems.stopped.count, 1)
    expectEqual(kept(), ["{number:1,text:}"])
    client.shutDown()
  }

  @Test("an archive does not bring a run again whose input was changed")
  func archived() throws {
    online.send(false)
    let client = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: client)
    expectEqual(rebase(client, client.outbox.currentItems[0].id, Note(number: 2)), "rebased")
    let archive = try CacheArchive(decoding: client.export().archive.encoded())
    expectEqual(client.import(archive, for: [.mutation(note())]).mutationCount, 0)
    let key = client.outbox.currentItems.first?.idempotencyKey
    let next = kill(client)
    next.change { $0.loading = .seconds(1) }
    let other = self.client(in: next, knowing: [note()])
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(other.outbox.currentItems), ["2 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["2000 2", "2010 2 done"])
    expectEqual(server.keys.all, [key])
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  /// An archive of a run whose input is replaced after that, with the key of the new input and a store that has
  /// it, and that is read in a second.
  private func rebased() -> (archive: CacheArchive, key: UUID?, store: SlowStore) {
    online.send(false)
    let client = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: client)
    let archive = client.export().archive
    expectEqual(rebase(client, client.outbox.currentItems[0].id, Note(number: 2)), "rebased")
    let key = client.outbox.currentItems.first?.idempotencyKey
    let next = kill(client)
    next.change { $0.loading = .seconds(1) }
    return (archive, key, next)
  }

  /// The archive was made before the input was changed, and comes before the store is read.
  @Test("nor does an archive bring back the input that was replaced")
  func archivedBefore() {
    let (archive, key, next) = rebased()
    let other = client(in: next, knowing: [note()])
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(other.outbox.currentItems), ["2 waiting"])
    expectEqual(kept(in: next), ["{number:2,text:}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["2000 2", "2010 2 done"])
    expectEqual(server.keys.all, [key])
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  /// The run waits for `resumeMutations()` while the store is read, so the outbox hears of it later.
  @Test("nor does an archive whose runs are resumed after the store was read")
  func archivedBeforeAndResumedAfter() {
    let (archive, key, next) = rebased()
    let other = client(in: next, knowing: [note()])
    let imported = other.import(archive, for: [.mutation(note())], resuming: false)
    expectEqual(imported.mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(other.outbox.currentItems), ["2 waiting"])
    online.send(true)
    let ends = Notes<Int>()
    simulation.task { [other] in
      await other.resumeMutations()
      ends.add(1)
    }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["2000 2", "2010 2 done"])
    expectEqual(server.keys.all, [key])
    expectEqual(ends.count, 1)
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("the changes of a new input stay below those of later runs, and do not undo a clear")
  func layers() {
    online.send(false)
    let key = QueryKey<String>("text")
    let set = note("set").optimistic { input, changes in
      changes.update(key) { $0 = ($0 ?? "") + ">\(input)" }
    }
    let client = client()
    for number in 1...2 { simulation.start(set, with: Note(number: number), on: client) }
    expectEqual(client.data(for: key), ">1>2")
    let id = client.outbox.currentItems[0].id
    expectEqual(rebase(client, id, Note(number: 7)), "rebased")
    expectEqual(client.data(for: key), ">7>2")
    client.clear()
    expectNil(client.data(for: key))
    for number in 8...9 { expectEqual(rebase(client, id, Note(number: number)), "rebased") }
    expectNil(client.data(for: key))
    expectEqual(shown(client.outbox.currentItems), ["9 waiting", "2 waiting"])
    client.shutDown()
  }

  @Test("the changes of restored runs are below those of runs that began before they were read")
  func restoredLayers() {
    online.send(false)
    let key = QueryKey<String>("text")
    let set = note("set").optimistic { input, changes in
      changes.update(key) { $0 = ($0 ?? "") + ">\(input)" }
    }
    let client = client()
    for number in 1...2 { simulation.start(set, with: Note(number: number), on: client) }
    let next = kill(client)
    next.change { $0.loading = .seconds(1) }
    let other = self.client(in: next, knowing: [set])
    simulation.start(set, with: Note(number: 3), on: other)
    expectEqual(other.data(for: key), ">3")
    simulation.advance(by: .seconds(2))
    expectEqual(other.data(for: key), ">1>2>3")
    other.shutDown()
  }

  @Test("an item is given another input while the store is read")
  func rebaseWhileLoading() throws {
    store.change { $0.loading = .seconds(1) }
    let client = client()
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    let id = client.outbox.currentItems[0].id
    let rebase = simulation.task { try await client.outbox.rebase(id, with: Note(number: 2)) }
    simulation.advance(by: .milliseconds(500))
    expectEqual(shown(client.outbox.currentItems), ["2 saving"])
    expectEqual(simulation.run { try? await run.value }, "real2")
    try simulation.run { try await rebase.value }
    expectEqual(server.log.all, ["1000 2", "1010 2 done"])
    client.shutDown()
  }

  @Test("what cannot be read is tried once for each mutation that may be able to")
  func unreadable() {
    online.send(false)
    let client = client()
    let old = Mutation<[String], String>(key: "note") { _ in "" }.durable(version: "1")
    for number in 0..<20 { simulation.start(old, with: ["\(number)"], on: client) }
    let tries = Notes<Int>()
    let new = Mutation<Note, String>(key: "note") { _ in "" }.durable(version: "2") { _, _ in
      tries.add(1)
      throw Boom(1)
    }
    let other = self.client(in: kill(client), knowing: [new])
    let events = simulation.record(other.events)
    for item in other.outbox.currentItems.prefix(10) {
      simulation.run { try? await other.outbox.drop(item.id) }
    }
    expectEqual(tries.all.count, 20)
    expectEmpty(failures(events))
    other.outbox.register(new)
    expectEqual(tries.all.count, 30)
    other.shutDown()
  }
}
