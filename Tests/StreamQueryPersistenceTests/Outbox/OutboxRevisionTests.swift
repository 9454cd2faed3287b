import StreamQueryTesting
import Testing

import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Records whose input was changed more often than it can have been: damaged bytes, or odd ones.
struct OutboxRevisionTests: OutboxSuite {
  let simulation = Simulation(seed: 27)
  let store: SlowStore
  let online = ManualSignal(false)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  /// Writes a record as an earlier process may have.
  private func leave(_ number: Int, of mutation: String = #"["note"]"#) throws {
    let header = OutboxRecord.Header(
      id: UUID(),
      revision: .max,
      mutation: mutation,
      scope: "notes",
      date: 0,
      version: ""
    )
    let record = try OutboxRecord(header, input: ArchiveCoding.json.encode(Note(number: number)))
    let key = OutboxRecord.key(UInt64(number), record.id)
    let batch = StoreBatch(
      generation: .first,
      puts: [StoreRecord(key: key, value: record.data)]
    )
    try store.memory.write(batch, to: .main)
  }

  private func rebase(_ client: QueryClient, _ number: Int) {
    guard let id = client.outbox.currentItems.last?.id else { return }
    simulation.run { try? await client.outbox.rebase(id, with: Note(number: number)) }
  }

  @Test("a run with the greatest revision gets another input, and then another one")
  func run() throws {
    try leave(1)
    let client = client()
    client.outbox.register(note())
    let key = client.outbox.currentItems.first?.idempotencyKey
    for number in 2...3 { rebase(client, number) }
    expectEqual(shown(client.outbox.currentItems), ["3 waiting"])
    expectEqual(kept(), ["{number:3,text:}"])
    expect(client.outbox.currentItems.first?.idempotencyKey != key)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 3", "10 3 done"])
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("so does an item behind one that nobody can send yet")
  func open() throws {
    try leave(1, of: #"["other"]"#)
    try leave(2)
    let client = client(knowing: [note()])
    for number in 3...4 { rebase(client, number) }
    expectEqual(shown(client.outbox.currentItems), ["1 unregistered", "4 unregistered"])
    expectEqual(kept(), ["{number:1,text:}", "{number:4,text:}"])
    client.outbox.register(note("other"))
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }, ["10 1 done", "20 4 done"])
    client.shutDown()
  }

  @Test("so does one whose conflict is answered with another input")
  func conflict() throws {
    try leave(1)
    online.send(true)
    server.fail(1, Boom(1))
    let mutation = note().onConflict { _, _, _ in .rebase(Note(number: 2)) }
    let client = client(knowing: [mutation])
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["0 1", "10 1 failed", "1010 2", "1020 2 done"])
    expectEqual(Set(server.keys.all).count, 2)
    client.shutDown()
  }

  @Test("so does one that an archive brings")
  func archive() throws {
    let client = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: client)
    rebase(client, 2)
    var archive = client.export().archive
    archive.mutations[0].changed?.revision = .max
    archive = try CacheArchive(decoding: archive.encoded())
    _ = kill(client)
    let place = SlowStore(clock: simulation.clock)
    let other = self.client(in: place, knowing: [note()])
    expectEqual(other.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.settle()
    for number in 3...4 { rebase(other, number) }
    expectEqual(shown(other.outbox.currentItems), ["4 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 4", "10 4 done"])
    other.shutDown()
  }

  @Test("a caller that is cancelled while its input is written leaves nothing behind")
  func cancelledCaller() throws {
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let id = try #require(client.outbox.currentItems.first?.id)
    store.change { $0.writing = .seconds(60) }
    let caller = simulation.task { [client] in
      try? await client.outbox.rebase(id, with: Note(number: 2))
    }
    simulation.settle()
    let engine = try #require(client.durableRuns as? OutboxEngine)
    expect(engine.update { !$0.waits.isEmpty })
    caller.cancel()
    simulation.settle()
    expect(engine.update { $0.waits.isEmpty })
    simulation.advance(by: .seconds(60))
    expectEqual(kept(), ["{number:2,text:}"])
    client.shutDown()
  }

  /// An input that calls a function when it is encoded.
  private struct Hooked: Codable, Sendable {
    let number: Int
    let whenEncoded: @Sendable () throws -> Void

    init(_ number: Int, whenEncoded: @escaping @Sendable () throws -> Void = {}) {
      self.number = number
      self.whenEncoded = whenEncoded
    }

    init(from decoder: any Decoder) throws {
      self.init(try decoder.singleValueContainer().decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws {
      try whenEncoded()
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  /// As if another thread changed it.
  @Test(
    "an input that is changed while the former one is encoded for the store is kept",
    arguments: [false, true]
  )
  func changedWhileEncoded(formerFails: Bool) throws {
    let client = client()
    let mutation = Mutation<Hooked, String>(key: "hooked") { [server] input, context in
      try await server.send(Note(number: input.number), context)
    }
    .durable()
    simulation.start(mutation, with: Hooked(1), on: client)
    let engine = try #require(client.durableRuns as? OutboxEngine)
    let job = try #require(engine.update { $0.jobs.values.first })
    let id = try #require(client.outbox.currentItems.first?.id)
    let count = Dial(0)
    let second = Hooked(2) { [weak client, weak job] in
      let times = count.with { times in
        times += 1
        return times
      }
      // The first time the call only finds out whether the input can be encoded.
      guard times == 2, let client, let job else { return }
      expect(client.rebase(job, TypedBox(Hooked(3))))
      if formerFails { throw Boom(1) }
    }
    simulation.run { try? await client.outbox.rebase(id, with: second) }
    simulation.settle()
    expectEqual(kept().map { $0.suffix(1) }, ["3"])
    let key = client.outbox.currentItems.first?.idempotencyKey
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 3", "10 3 done"])
    expectEqual(server.keys.all, [key])
    client.shutDown()
  }
}
