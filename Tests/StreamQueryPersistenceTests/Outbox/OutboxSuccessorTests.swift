import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// The order of scopes over the end of a client whose successor uses the same store.
struct OutboxSuccessorTests: OutboxSuite {
  let simulation = Simulation(seed: 15)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test("nothing overtakes the new input of an item that an ended client is writing")
  func rebaseUnderWay() {
    online.send(false)
    let first = client(knowing: [note()])
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: first) }
    store.change { $0.writing = .seconds(2) }
    let id = first.outbox.currentItems[0].id
    simulation.task {
      try? await first.outbox.rebase(id, with: Note(number: 1, text: "r"))
    }
    simulation.settle()
    first.shutDown()
    online.send(true)
    let second = client(knowing: [note()])
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["2000 1r", "2010 1r done", "2010 2", "2020 2 done"])
    second.shutDown()
  }

  @Test("nothing of the scope overtakes a run that an ended client is writing")
  func runUnderWay() {
    store.change { $0.writing = .seconds(2) }
    let first = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: first)
    first.shutDown()
    // The first write ends while the second client writes, which reads again after that.
    store.change { $0.writing = .milliseconds(1_500) }
    let second = client(knowing: [note()])
    simulation.start(note("free").scope("free"), with: Note(number: 3), on: second)
    simulation.start(note(), with: Note(number: 2), on: second)
    simulation.advance(by: .minutes(1))
    expectEqual(
      server.log.all,
      [
        "1500 3", "1510 3 done", "3000 1", "3010 1 done", "3010 2", "3020 2 done",
      ]
    )
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("nothing overtakes a run that an ended client keeps as soon as it has read the store")
  func runBeforeLoading() {
    store.change { $0.loading = .seconds(2) }
    let first = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: first)
    first.shutDown()
    store.change { $0.loading = .zero }
    let second = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 2), on: second)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["2000 1", "2010 1 done", "2010 2", "2020 2 done"])
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("nothing overtakes what a client that ended while it read the store did not take")
  func predecessorThatReads() {
    online.send(false)
    let first = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: first)
    first.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(2) }
    let second = client(knowing: [note()])
    second.shutDown()
    online.send(true)
    simulation.advance(by: .seconds(1))
    let third = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 2), on: third)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["3000 1", "3010 1 done", "3010 2", "3020 2 done"])
    third.shutDown()
  }

  @Test("a request that goes on after the end is not overtaken by the next client")
  func requestUnderWay() {
    let stubborn = Mutation<Note, String>(key: "note") { [server, simulation] input, context in
      guard server.log.all.isEmpty else { return try await server.send(input, context) }
      server.log.add("begins")
      let clock = simulation.clock
      await Task.detached(executorPreference: Scheduling.current.executor) {
        try? await clock.sleep(for: .seconds(1))
      }.value
      server.log.add("ends")
      return ""
    }
    .scope("notes")
    .durable()
    let first = client(knowing: [stubborn])
    simulation.start(stubborn, with: Note(number: 1), on: first)
    first.shutDown()
    let second = client(knowing: [stubborn])
    simulation.start(stubborn, with: Note(number: 2), on: second)
    simulation.advance(by: .minutes(1))
    expectEqual(
      server.log.all,
      ["begins", "ends", "1000 1", "1010 1 done", "1010 2", "1020 2 done"]
    )
    expectEmpty(kept())
    second.shutDown()
    simulation.settle()
  }

  /// The client ends after the run's last callback, before the outbox hears that the run is over.
  @Test("a run whose end has still to reach the outbox is not sent by the next client")
  func runAtItsEnd() {
    let present = TestLock<QueryClient?>(nil)
    let first = client(knowing: [note()]) {
      $0.onEvent = { event in
        guard case .mutation(.succeeded) = event.kind else { return }
        present.withLock { $0.take() }?.shutDown()
      }
    }
    present.withLock { $0 = first }
    let second = client(knowing: [note()])
    simulation.start(note().onSettled { _, _ in }, with: Note(number: 1), on: first)
    simulation.settle()
    store.change { $0.writing = .milliseconds(100) }
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("what is left while the store is read is read afterwards")
  func leftWhileReading() {
    let store = StaleStore(clock: simulation.clock)
    func make() -> QueryClient {
      QueryClient(simulation: simulation) {
        $0.outbox = OutboxConfiguration(in: store, mutations: [note()])
      }
    }
    let first = make()
    simulation.settle()
    store.wait.withLock { $0 = .milliseconds(100) }
    store.writing.withLock { $0 = .milliseconds(50) }
    simulation.start(note(), with: Note(number: 1), on: first)
    first.shutDown()
    let second = make()
    simulation.settle()
    store.writing.withLock { $0 = .zero }
    simulation.start(note(), with: Note(number: 2), on: second)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["200 1", "210 1 done", "210 2", "220 2 done"])
    second.shutDown()
  }

  @Test("what two clients keep one after the other is in this order after a kill")
  func orderOfTwoClients() {
    online.send(false)
    let clients = [client(), client()]
    for (number, place) in [(1, 0), (2, 0), (3, 1), (4, 0), (5, 1), (6, 1), (7, 0)] {
      simulation.start(note(), with: Note(number: number), on: clients[place])
    }
    let next = copy()
    for client in clients { client.shutDown() }
    simulation.settle()
    online.send(true)
    let third = client(in: next, knowing: [note()])
    simulation.advance(by: .minutes(1))
    expectEqual(
      server.log.all.filter { $0.hasSuffix("done") },
      [
        "10 1 done", "20 2 done", "30 3 done", "40 4 done", "50 5 done", "60 6 done", "70 7 done",
      ]
    )
    third.shutDown()
  }

  /// The second client's own run is at work when it takes the others over, and gets another input then.
  ///
  /// One of the others can begin only later.
  @Test("runs that are taken over at different times keep their order behind a run that is at work")
  func takenOverInParts() {
    online.send(false)
    let apart = ManualSignal(true)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    simulation.start(note("old"), with: Note(number: 2), on: first)
    let mutation = note().onConflict { _, _, _ in .rebase(Note(number: 4)) }
    let second = client(knowing: [mutation]) { $0.connectivity = Connectivity { apart } }
    server.fail(3, Boom(3))
    simulation.start(mutation, with: Note(number: 3), on: second)
    simulation.advance(by: .milliseconds(5))
    first.shutDown()
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["0 3", "10 3 failed"])
    second.outbox.register(note("old"))
    simulation.advance(by: .minutes(1))
    let sent = server.log.all.filter { $0.hasSuffix("done") }.map { $0.split(separator: " ")[1] }
    expectEqual(sent, ["4", "1", "2"])
    expectEmpty(kept())
    second.shutDown()
  }
}
