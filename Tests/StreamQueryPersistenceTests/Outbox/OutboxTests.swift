import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// T71 T54: what is promised is sent.
struct OutboxTests: OutboxSuite {
  let simulation = Simulation(seed: 7)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private func ended(_ client: QueryClient) {
    simulation.advance(by: .seconds(1))
    expectEmpty(client.outbox.currentItems)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a run is written before it is sent, and its record goes when it succeeded")
  func writtenBeforeSent() {
    store.change { $0.writing = .milliseconds(5) }
    let client = client()
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    expectEqual(shown(client.outbox.currentItems), ["1 saving"])
    expectEmpty(server.log.all)
    simulation.advance(by: .milliseconds(6))
    expectEqual(kept(), ["{number:1,text:}"])
    expectEqual(server.log.all, ["5 1"])
    expectEqual(shown(client.outbox.currentItems), ["1 sending"])
    simulation.advance(by: .milliseconds(20))
    expectEqual(simulation.run { try? await run.value }, "real1")
    expectEqual(server.log.all, ["5 1", "15 1 done"])
    ended(client)
  }

  @Test("saving waits until the outbox has been told of a run that was started before")
  func savedBeforeItWasTold() {
    online.send(false)
    let saved = Notes<[String]>()
    let present = TestLock<QueryClient?>(nil)
    let client = client { [suite = self] in
      $0.onEvent = { event in
        // This thread performs what the cache has decided: all that follows comes after this event.
        guard event.key == "other", let client = present.withLock({ $0.take() }) else { return }
        client.observer(of: suite.note()).start(with: Note(number: 1))
        // On this thread as far as it gets.
        Task(executorPreference: InlineExecutor()) {
          try? await client.save()
          saved.add(suite.kept())
        }
      }
    }
    present.withLock { $0 = client }
    client.setData(1, for: "other" as QueryKey<Int>)
    simulation.settle()
    expectEqual(saved.all, [["{number:1,text:}"]])
    client.shutDown()
  }

  /// The runs that go on when the network is back begin one after the other.
  @Test("a durable run goes on even if the run before it is cleared just before that one begins")
  func clearedBeforeItBegan() {
    online.send(false)
    let present = TestLock<QueryClient?>(nil)
    let client = client {
      $0.onEvent = { event in
        guard case .mutation(.resumed) = event.kind else { return }
        // This thread performs what the cache has decided: the runs begin after this event.
        present.withLock { $0.take() }?.clear()
      }
    }
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(plain, with: Note(number: 1), on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(shown(client.outbox.currentItems), ["2 waiting"])
    present.withLock { $0 = client }
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["1000 2", "1010 2 done"])
    client.shutDown()
  }

  @Test("offline runs of a scope survive the process, and are sent in order with their keys")
  func restart() {
    online.send(false)
    let client = client()
    for number in 1...3 {
      simulation.start(note(), with: Note(number: number), on: client)
    }
    let keys = client.outbox.currentItems.map(\.idempotencyKey)
    let next = kill(client)
    online.send(true)
    let other = self.client(in: next, knowing: [note()])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done", "10 2", "20 2 done", "20 3", "30 3 done"])
    expectEqual(server.keys.all, keys)
    expectEmpty(kept(in: next))
    other.shutDown()
  }

  @Test("a run that was being sent at the end of the process is sent again with the same key")
  func sentAgain() {
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(5))
    let next = kill(client)
    let other = self.client(in: next, knowing: [note()])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "5 1", "15 1 done"])
    expectEqual(Set(server.keys.all).count, 1)
    other.shutDown()
  }

  @Test("a client that is shut down leaves what it has promised to the next one")
  func leftToTheNext() {
    online.send(false)
    let client = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: client)
    client.shutDown()
    simulation.settle()
    online.send(true)
    let other = self.client(knowing: [note()])
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    ended(other)
  }

  @Test("a failed attempt is tried again until one succeeds, and with one key")
  func retriedForEver() {
    let client = client()
    server.fail(1, Boom(1), CancellationError(), Boom(2), Boom(3), Boom(4), Boom(5), Boom(6))
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(500))
    expectEqual(shown(client.outbox.currentItems), ["1 waiting !1"])
    expectEqual(kept(), ["{number:1,text:}"])
    simulation.advance(by: .minutes(5))
    expectEqual(simulation.run { try? await run.value }, "real1")
    expectEqual(server.keys.all.count, 8)
    expectEqual(Set(server.keys.all).count, 1)
    ended(client)
  }

  @Test("a run that fails for good tells its caller, and leaves no record")
  func failsForGood() {
    let client = client()
    server.fail(1, Boom(1), Boom(2))
    let run = simulation.start(note().retry(1), with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(5))
    simulation.run { _ = await #expect(throws: Boom(2)) { try await run.value } }
    ended(client)
  }

  @Test("cancelling the caller ends only its wait")
  func cancelledCaller() {
    online.send(false)
    let client = client()
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    run.cancel()
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await run.value } }
    expectEqual(shown(client.outbox.currentItems), ["1 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    ended(client)
  }

  @Test("clearing the client ends no durable run")
  func clear() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let plain = Mutation<Int, Int>(key: "plain") { $0 }.scope("notes")
    simulation.start(plain, with: 1, on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    client.clear()
    simulation.settle()
    expectEqual(client.mutations().count, 2)
    expectEqual(shown(client.outbox.currentItems), ["1 waiting", "2 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done", "10 2", "20 2 done"])
    ended(client)
  }

  @Test("a cleared run in front of a durable one lets it go on")
  func clearedFront() {
    let client = client()
    let plain = Mutation<Int, Int>(key: "plain") { input in
      try await Scheduling.current.clock.sleep(for: .seconds(10))
      return input
    }
    simulation.start(plain.scope("notes"), with: 1, on: client)
    simulation.start(note(), with: Note(number: 1), on: client)
    expectEmpty(server.log.all)
    client.clear()
    simulation.advance(by: .milliseconds(10))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    ended(client)
  }

  @Test("a dropped item is gone from memory and store, and its scope goes on")
  func drop() throws {
    online.send(false)
    let client = client()
    for number in 1...2 {
      simulation.start(note(), with: Note(number: number), on: client)
    }
    let first = try #require(client.outbox.currentItems.first)
    try simulation.run { try await client.outbox.drop(first.id) }
    expectEqual(kept(), ["{number:2,text:}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 2", "10 2 done"])
    simulation.run {
      _ = await #expect(throws: OutboxError.self) { try await client.outbox.drop(first.id) }
    }
    ended(client)
  }

  @Test("a cancelled run leaves no record")
  func cancelMutations() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    client.cancelMutations()
    simulation.settle()
    ended(client)
  }

  @Test("the stream of items shows each step")
  func items() {
    let client = client()
    store.change { $0.writing = .milliseconds(5) }
    let items = simulation.record(client.outbox.items)
    // A slow observer would miss what is shown before the run begins.
    simulation.settle()
    server.fail(1, Boom(1))
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(2))
    var steps: [[String]] = []
    for step in items.values.map(shown) where steps.last != step { steps.append(step) }
    expectEqual(
      steps,
      [
        [], ["1 saving"], ["1 sending"], ["1 waiting !1"], ["1 sending !1"], [],
      ]
    )
    ended(client)
  }

  @Test("the stream of items shows what is left when the client ends")
  func itemsAtTheEnd() {
    online.send(false)
    let client = client()
    let items = simulation.record(client.outbox.items)
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(items.values.last?.count, 1)
    client.observer(of: note()).start(with: Note(number: 2))
    client.shutDown()
    simulation.settle()
    expectEqual(items.values.last?.count, 2)
    expect(items.isFinished)
    expectEqual(client.outbox.currentItems.count, 2)
  }

  @Test("a durable mutation of a client without an outbox fails at once")
  func noOutbox() {
    let client = QueryClient(simulation: simulation)
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    simulation.run {
      _ = await #expect(throws: QueryError.missingOutbox(key: #"["note"]"#)) {
        try await run.value
      }
    }
    expectEmpty(client.outbox.currentItems)
    expectEmpty(server.log.all)
    client.shutDown()
  }

  @Test("a mutation that is changed under its run leaves no record")
  func updatedMutation() {
    online.send(false)
    let client = client()
    let observer = client.observer(of: note())
    observer.start(with: Note(number: 1))
    simulation.settle()
    expectEqual(kept().count, 1)
    let other = Mutation<Note, String>(key: "note") { input in "other\(input.number)" }
    observer.update(mutation: other)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(observer.run.output, "other1")
    ended(client)
  }

  @Test("the callbacks and layers of a restored run are those of the registered mutation")
  func registrationCarries() {
    online.send(false)
    let key = QueryKey<String>("text")
    let notes = Notes<String>()
    let mutation = note()
      .optimistic { input, changes in changes.update(key) { $0 = "text \(input)" } }
      .onMutate { input, _ in notes.add("onMutate \(input)") }
      .onSuccess { output, _ in notes.add("onSuccess \(output)") }
    let client = client()
    simulation.start(mutation, with: Note(number: 1), on: client)
    let next = kill(client)
    let other = self.client(in: next)
    simulation.settle()
    expectEqual(shown(other.outbox.currentItems), ["1 unregistered"])
    expectNil(other.data(for: key))
    other.outbox.register(mutation)
    simulation.settle()
    expectEqual(other.data(for: key), "text 1")
    expectEqual(shown(other.outbox.currentItems), ["1 waiting"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["onMutate 1", "onMutate 1", "onSuccess real1"])
    expectEmpty(kept(in: next))
    other.shutDown()
  }
}
