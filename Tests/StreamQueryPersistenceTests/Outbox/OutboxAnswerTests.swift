import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Errors that no retry is left for, and what is asked of items.
struct OutboxAnswerTests: OutboxSuite {
  let simulation = Simulation(seed: 9)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private func answering(
    _ answer: @escaping @Sendable (any Error, Note) -> ConflictAnswer<Note>
  ) -> Mutation<Note, String> {
    note().onConflict { error, input, _ in answer(error, input) }
  }

  @Test("lines of logs do not say where the damage is, which is named after an account")
  func damage() {
    let damage = StoreDamage(place: "alice at 7", byteCount: 3)
    expectEqual("\(OutboxError.damaged(damage))", "3 damaged bytes in the store were left out")
  }

  @Test("a conflict is answered by another attempt with the same key")
  func retry() {
    let client = client()
    server.fail(1, Boom(1), Boom(2))
    let run = simulation.start(answering { _, _ in .retry }, with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(10))
    expectEqual(simulation.run { try? await run.value }, "real1")
    expectEqual(
      server.log.all,
      [
        "0 1", "10 1 failed", "1010 1", "1020 1 failed", "3020 1", "3030 1 done",
      ]
    )
    expectEqual(Set(server.keys.all).count, 1)
    client.shutDown()
  }

  @Test("a rebased run is written with its new input, and sent with another key")
  func rebase() {
    let key = QueryKey<String>("text")
    let client = client()
    server.fail(1, Boom(1))
    let mutation =
      answering { _, input in .rebase(Note(number: 2, text: "was \(input.number)")) }
      .optimistic { input, changes in changes.update(key) { $0 = "text \(input)" } }
    let run = simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(5))
    expectEqual(client.data(for: key), "text 1")
    store.change { $0.writing = .milliseconds(100) }
    simulation.advance(by: .milliseconds(50))
    expectEqual(server.log.all, ["0 1", "10 1 failed"])
    expectEqual(client.data(for: key), "text 2was 1")
    simulation.advance(by: .milliseconds(61))
    expectEqual(kept(), ["{number:2,text:was 1}"])
    simulation.advance(by: .seconds(5))
    expectEqual(simulation.run { try? await run.value }, "real2")
    expectEqual(Set(server.keys.all).count, 2)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a rebased run keeps its key after a restart")
  func rebasedRestart() throws {
    let client = client()
    server.fail(1, Boom(1))
    simulation.start(
      answering { _, _ in .rebase(Note(number: 2)) },
      with: Note(number: 1),
      on: client
    )
    simulation.advance(by: .milliseconds(1_015))
    let next = kill(client)
    let other = self.client(in: next, knowing: [note()])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 failed", "1010 2", "1015 2", "1025 2 done"])
    expectEqual(server.keys.all[1], server.keys.all[2])
    expect(server.keys.all[0] != server.keys.all[1])
    other.shutDown()
  }

  @Test("a dropped conflict fails its caller and lets the scope go on")
  func drop() {
    let client = client()
    server.fail(1, Boom(1))
    let mutation = answering { _, _ in .drop }
    let first = simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.start(mutation, with: Note(number: 2), on: client)
    simulation.advance(by: .seconds(10))
    simulation.run { _ = await #expect(throws: Boom(1)) { try await first.value } }
    expectEqual(server.log.all, ["0 1", "10 1 failed", "10 2", "20 2 done"])
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a conflict that is left to others stops the scope until it is answered")
  func ask() throws {
    let client = client()
    let events = simulation.record(client.events)
    server.fail(1, Boom(1), Boom(2), Boom(3))
    let mutation = answering { _, _ in .ask }
    for number in 1...2 { simulation.start(mutation, with: Note(number: number), on: client) }
    simulation.advance(by: .seconds(10))
    expectEqual(shown(client.outbox.currentItems), ["1 stopped (boom 1) !1", "2 waiting"])
    expectEqual(failures(events), ["stopped: boom 1"])
    let id = try #require(client.outbox.currentItems.first?.id)
    // Neither the network nor anybody who resumes what is paused is an answer.
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.run { await client.resumeMutations() }
    expectEqual(shown(client.outbox.currentItems).first, "1 stopped (boom 1) !1")
    expect(client.outbox.retry(id))
    expect(!client.outbox.retry(id))
    simulation.advance(by: .milliseconds(20))
    expectEqual(shown(client.outbox.currentItems), ["1 stopped (boom 2) !2", "2 waiting"])
    simulation.run {
      _ = await #expect(throws: OutboxError.self) { try await client.outbox.rebase(id, with: 7) }
    }
    try simulation.run { try await client.outbox.rebase(id, with: Note(number: 3)) }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.suffix(4).map { $0.dropFirst(6) }, ["3", "3 done", "2", "2 done"])
    expectEmpty(client.outbox.currentItems)
    client.shutDown()
  }

  @Test("an item that is stopped waits for its answer after a restart, too")
  func askedAgain() {
    let client = client()
    server.fail(1, Boom(1), Boom(2))
    let mutation = answering { _, _ in .ask }
    simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(1))
    let other = self.client(in: kill(client), knowing: [mutation])
    simulation.advance(by: .seconds(1))
    expectEqual(shown(other.outbox.currentItems), ["1 stopped (boom 2) !1"])
    other.shutDown()
  }

  @Test("an item that waits is rebased in its place, one that is being sent is not")
  func rebaseWaiting() throws {
    let client = client()
    for number in 1...3 { simulation.start(note(), with: Note(number: number), on: client) }
    let items = client.outbox.currentItems
    expectEqual(shown(items), ["1 sending", "2 waiting", "3 waiting"])
    simulation.run {
      _ = await #expect(throws: OutboxError.self) {
        try await client.outbox.rebase(items[0].id, with: Note(number: 7))
      }
    }
    try simulation.run { try await client.outbox.rebase(items[1].id, with: Note(number: 8)) }
    expectEqual(kept(), ["{number:1,text:}", "{number:8,text:}", "{number:3,text:}"])
    simulation.advance(by: .seconds(1))
    expectEqual(
      server.log.all.filter { $0.hasSuffix("done") },
      ["10 1 done", "20 8 done", "30 3 done"]
    )
    client.shutDown()
  }

  @Test("who waits for a drop or a rebase leaves at once when cancelled")
  func cancelledWaiters() throws {
    online.send(false)
    let client = client()
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: client) }
    let items = client.outbox.currentItems
    store.change { $0.writing = .seconds(100) }
    let drop = simulation.task { try await client.outbox.drop(items[0].id) }
    let rebase = simulation.task {
      try await client.outbox.rebase(items[1].id, with: Note(number: 3))
    }
    let restore = simulation.task { try await client.save() }
    simulation.settle()
    drop.cancel()
    rebase.cancel()
    restore.cancel()
    simulation.run {
      _ = await #expect(throws: CancellationError.self) { try await drop.value }
      _ = await #expect(throws: CancellationError.self) { try await rebase.value }
      _ = await #expect(throws: CancellationError.self) { try await restore.value }
    }
    #expect(simulation.clock.now.offset < .seconds(1))
    simulation.advance(by: .seconds(300))
    expectEqual(kept(), ["{number:3,text:}"])
    client.shutDown()
  }

  @Test("a delayed run shows at once, is sent later, and can be taken back without a trace")
  func delayed() throws {
    let key = QueryKey<String>("text")
    let mutation = note().delayed(by: .seconds(5))
      .optimistic { input, changes in changes.update(key) { $0 = "text \(input)" } }
    let client = client()
    for number in 1...3 { simulation.start(mutation, with: Note(number: number), on: client) }
    expectEqual(client.data(for: key), "text 3")
    expectEqual(kept().count, 3)
    simulation.advance(by: .seconds(4))
    let items = client.outbox.currentItems
    expectEmpty(server.log.all)
    try simulation.run { try await client.outbox.drop(items[2].id) }
    expectEqual(client.data(for: key), "text 2")
    expect(client.outbox.retry(items[0].id))
    simulation.advance(by: .milliseconds(100))
    expectEqual(server.log.all, ["4000 1", "4010 1 done"])
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.suffix(2), ["5000 2", "5010 2 done"])
    client.shutDown()
  }

  @Test(
    "a delay goes on while the process does not run, and is no longer after a clock was set back"
  )
  func delayOverRestart() {
    let mutation = note().delayed(by: .seconds(5))
    let client = client()
    simulation.start(mutation, with: Note(number: 1), on: client)
    let next = kill(client)
    simulation.advance(by: .seconds(3))
    let other = self.client(in: next, knowing: [mutation])
    simulation.advance(by: .milliseconds(1_900))
    expectEmpty(server.log.all)
    simulation.advance(by: .milliseconds(101))
    expectEqual(server.log.all, ["5000 1"])
    let last = kill(other)
    simulation.setWallClock(offset: .seconds(-100_000))
    let third = self.client(in: last, knowing: [mutation])
    simulation.advance(by: .milliseconds(4_900))
    expectEqual(server.log.all.count, 1)
    simulation.advance(by: .milliseconds(101))
    expectEqual(server.log.all.count, 2)
    third.shutDown()
  }

  @Test(
    "a mutation that is not durable is delayed as well, and cancelling its caller takes it back"
  )
  func delayedPlain() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", notes: server.log, simulation: simulation)
      .delayed(by: .seconds(5))
    let first = simulation.start(mutation, with: 1, on: client)
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .seconds(2))
    first.cancel()
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["5000 start 2", "5010 end 2"])
    client.shutDown()
  }
}
