import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// Runs of which only the newest is sent.
struct OutboxPacingTests: OutboxSuite {
  let simulation = Simulation(seed: 8)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  /// A mutation without a scope of its own.
  private func draft(_ change: (inout MutationOptions) -> Void = { _ in }) -> Mutation<Note, String>
  {
    Mutation(key: "draft") { [server] input, context in
      // The first version takes its time.
      if input.text == "slow" { try await Scheduling.current.clock.sleep(for: .seconds(1)) }
      return try await server.send(input, context)
    }
    .pacing(.newest)
    .options(change)
  }

  @Test(
    "an older version that failed is not tried again when a newer one is kept",
    arguments: [true, false]
  )
  func failed(isDurable: Bool) {
    let mutation = isDurable ? draft().durable() : draft { $0.retry = .forever }
    server.fail(1, Boom(1))
    let client = client()
    let first = simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(100))
    simulation.start(mutation, with: Note(number: 2), on: client)
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await first.value } }
    simulation.advance(by: .minutes(5))
    expectEqual(server.log.all, ["0 1", "10 1 failed", "100 2", "110 2 done"])
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a newer version waits for an older one that is being sent", arguments: [true, false])
  func underWay(isDurable: Bool) {
    let mutation = isDurable ? draft().durable() : draft()
    let client = client()
    let first = simulation.start(mutation, with: Note(number: 1, text: "slow"), on: client)
    simulation.advance(by: .milliseconds(100))
    for number in 2...3 { simulation.start(mutation, with: Note(number: number), on: client) }
    simulation.advance(by: .minutes(5))
    expectEqual(server.log.all, ["1000 1slow", "1010 1slow done", "1010 3", "1020 3 done"])
    expectEqual(simulation.run { try? await first.value }, "real1")
    client.shutDown()
  }

  @Test("an older version that fails while a newer one waits gives way to it")
  func givesWay() {
    let mutation = draft().durable()
    server.failures.withLock { $0[1] = Array(repeating: Boom(1), count: 1_000) }
    let client = client()
    simulation.start(mutation, with: Note(number: 1, text: "slow"), on: client)
    simulation.advance(by: .milliseconds(100))
    simulation.start(mutation, with: Note(number: 2), on: client)
    expectEqual(kept(), ["{number:1,text:slow}", "{number:2,text:}"])
    simulation.advance(by: .minutes(60))
    expectEqual(server.log.all, ["1000 1slow", "1010 1slow failed", "1010 2", "1020 2 done"])
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("an older version gives way whatever the answer to its error is")
  func givesWayAfterAnswer() {
    for answer in [ConflictAnswer.ask, .retry, .rebase(Note(number: 9))] {
      let mutation = draft().durable().onConflict { _, _, _ in answer }
      server.fail(1, Boom(1))
      let client = client()
      simulation.start(mutation, with: Note(number: 1, text: "slow"), on: client)
      simulation.advance(by: .milliseconds(100))
      simulation.start(mutation, with: Note(number: 2), on: client)
      simulation.advance(by: .minutes(5))
      expectEqual(server.log.all.last?.hasSuffix(" 2 done"), true)
      #expect(!server.log.all.contains { $0.hasSuffix(" 9") })
      expectEmpty(kept())
      client.shutDown()
    }
  }

  @Test("without a scope of its own a mutation gets one that is named after its key")
  func lane() {
    online.send(false)
    let client = client()
    simulation.start(draft().durable(), with: Note(number: 1), on: client)
    simulation.start(draft().durable().scope("s"), with: Note(number: 2), on: client)
    expectEqual(client.outbox.currentItems.map(\.scope), [#"newest of ["draft"]"#, "s"])
    client.shutDown()
  }

  @Test("a run keeps the key of its first input over a restart, as it does within one process")
  func keyOfTheFirstInput() {
    online.send(false)
    let mutation = note().pacing(.newest, of: { note in note.text })
    let client = client()
    simulation.start(mutation, with: Note(number: 1, text: "a"), on: client)
    let id = client.outbox.currentItems[0].id
    simulation.run { try? await client.outbox.rebase(id, with: Note(number: 1, text: "b")) }
    simulation.start(mutation, with: Note(number: 2, text: "b"), on: client)
    expectEqual(kept(), ["{number:1,text:b}", "{number:2,text:b}"])
    let next = kill(client)
    online.send(true)
    let second = self.client(in: next, knowing: [mutation])
    simulation.advance(by: .minutes(1))
    #expect(server.log.all.contains { $0.hasSuffix(" 1b done") })
    #expect(server.log.all.contains { $0.hasSuffix(" 2b done") })
    expectEmpty(kept(in: next))
    second.shutDown()
  }

  @Test("the newest of a scope takes the place of those that were not sent, when it is kept")
  func newest() {
    let mutation = note().pacing(.newest)
    let client = client()
    simulation.start(mutation, with: Note(number: 1), on: client)
    let runs = (2...4).map { number in
      simulation.start(mutation, with: Note(number: number), on: client)
    }
    simulation.start(note("other"), with: Note(number: 9), on: client)
    expectEqual(shown(client.outbox.currentItems), ["1 sending", "4 waiting", "9 waiting"])
    expectEqual(kept(), ["{number:1,text:}", "{number:4,text:}", "{number:9,text:}"])
    simulation.run {
      _ = await #expect(throws: CancellationError.self) { try await runs[0].value }
      _ = await #expect(throws: CancellationError.self) { try await runs[1].value }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(
      server.log.all.filter { $0.hasSuffix("done") },
      ["10 1 done", "20 4 done", "30 9 done"]
    )
    client.shutDown()
  }

  @Test("a newer version that cannot be kept does not take the place of one that is")
  func newestUnkept() {
    online.send(false)
    let client = client()
    let mutation = note().pacing(.newest)
    simulation.start(mutation, with: Note(number: 1), on: client)
    let failing = mutation.onMutate { _, _ in throw Boom(1) }
    simulation.start(failing, with: Note(number: 2), on: client)
    expectEqual(shown(client.outbox.currentItems), ["1 waiting"])
    store.change { $0.writeErrors = [.denied] }
    simulation.start(mutation, with: Note(number: 3), on: client)
    expectEqual(shown(client.outbox.currentItems), ["1 waiting", "3 saving"])
    simulation.advance(by: .seconds(10))
    expectEqual(shown(client.outbox.currentItems), ["3 waiting"])
    expectEqual(kept(), ["{number:3,text:}"])
    client.shutDown()
  }

  @Test("a newer version whose preparation fails takes the place of none")
  func newestUnprepared() {
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow("m", notes: server.log, simulation: simulation)
      .delayed(by: .seconds(1))
      .pacing(.newest)
    let first = simulation.start(mutation, with: 1, on: client)
    let failing = mutation.onMutate { _, _ in throw Boom(1) }
    simulation.start(failing, with: 2, on: client)
    expectEqual(simulation.run { try? await first.value }, 101)
    let slow = mutation.onMutate { _, _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
    }
    let second = simulation.start(mutation, with: 3, on: client)
    let third = simulation.start(slow, with: 4, on: client)
    simulation.advance(by: .milliseconds(99))
    expectEqual(client.mutatingCount(), 2)
    simulation.advance(by: .milliseconds(1))
    expectEqual(client.mutatingCount(), 1)
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await second.value } }
    expectEqual(simulation.run { try? await third.value }, 104)
    client.shutDown()
  }

  @Test("of several versions that a process left, the newest is sent")
  func newestAfterRestart() {
    online.send(false)
    let client = client()
    // Kept as all, sent as the newest.
    for number in 1...3 { simulation.start(note(), with: Note(number: number), on: client) }
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note().pacing(.newest)])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.filter { $0.hasSuffix("done") }.count, 1)
    expectEqual(server.log.all.last?.hasSuffix(" 3 done"), true)
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("the newest of each item is kept, and sent by the next process", arguments: [true, false])
  func newestOfEachItem(isInOneScope: Bool) {
    online.send(false)
    let plain = Mutation(key: "draft") { [server] (input: Note, context: MutationContext) in
      try await server.send(input, context)
    }
    .pacing(.newest, of: \.number)
    .durable()
    let mutation = isInOneScope ? plain.scope("notes") : plain
    let client = client()
    for (number, text) in [(1, "a"), (2, "a"), (1, "b"), (2, "b"), (3, "a")] {
      simulation.start(mutation, with: Note(number: number, text: text), on: client)
    }
    let left = ["{number:1,text:b}", "{number:2,text:b}", "{number:3,text:a}"]
    expectEqual(kept(), left)
    expectEqual(
      client.outbox.currentItems.map(\.scope),
      (isInOneScope
        ? ["notes", "notes", "notes"]
        : (1...3).map { #"newest of ["draft"] \#($0)"# })
    )
    let next = kill(client)
    let other = self.client(in: next)
    // Only now does it know that it is offline: what it began to send before would be waited for.
    other.outbox.register(mutation)
    simulation.start(mutation, with: Note(number: 2, text: "c"), on: other)
    expectEqual(kept(in: next), [left[0], left[2], "{number:2,text:c}"])
    online.send(true)
    simulation.advance(by: .minutes(1))
    let done = server.log.all.filter { $0.hasSuffix("done") }
    expectEqual(done.map { $0.split(separator: " ")[1] }.sorted(), ["1b", "2c", "3a"])
    expectEmpty(kept(in: next))
    other.shutDown()
  }
}
