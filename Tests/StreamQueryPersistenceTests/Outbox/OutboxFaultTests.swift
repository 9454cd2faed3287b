@testable import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// Stores that fail, are slow, or hold what nobody can read.
struct OutboxFaultTests: OutboxSuite {
  let simulation = Simulation(seed: 8)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test("a store that fails for a while is tried again, and nothing is sent before")
  func failingStore() {
    store.change { $0.writeErrors = [.denied, .full, .denied] }
    let client = client()
    let events = simulation.record(client.events)
    let run = simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(1_900))
    expectEmpty(server.log.all)
    expectEqual(shown(client.outbox.currentItems), ["1 saving"])
    simulation.advance(by: .minutes(1))
    expectEqual(simulation.run { try? await run.value }, "real1")
    expectEqual(server.log.all, ["14000 1", "14010 1 done"])
    expectEqual(failures(events).count, 3)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test("a store that can never be written gives the caller a typed error")
  func closedStore() {
    for isKnown in [false, true] {
      let store = SlowStore(clock: simulation.clock)
      if isKnown {
        store.change { $0.writeErrors = [.closed] }
      } else {
        store.change { $0.loadError = .inUse }
      }
      let client = client(in: store)
      for _ in 1...2 {
        let run = simulation.start(note(), with: Note(number: 1), on: client)
        simulation.run {
          _ = await #expect(throws: OutboxError.self) { try await run.value }
        }
      }
      expectEmpty(server.log.all)
      expectEmpty(client.outbox.currentItems)
      client.shutDown()
    }
  }

  @Test("an input that a closed store does not have is not sent, whoever asks for it")
  func closedDuringRebase() {
    online.send(false)
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    let id = client.outbox.currentItems[0].id
    store.change { $0.refuses = { _, _ in .closed } }
    simulation.run {
      _ = await #expect(throws: OutboxError.self) {
        try await client.outbox.rebase(id, with: Note(number: 2))
      }
    }
    online.send(true)
    expect(!client.outbox.retry(id))
    simulation.advance(by: .minutes(1))
    expectEmpty(server.log.all)
    expectEqual(kept(), ["{number:1,text:}"])
    expectEqual(client.outbox.currentItems.map(\.attempts), [1])
    client.shutDown()
  }

  /// The run was sent, and will be sent again by the next client.
  @Test("a removal that a closed store never gets is not saved, and save says so")
  func lostRemoval() {
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    store.change { $0.refuses = { _, _ in .closed } }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEqual(kept(), ["{number:1,text:}"])
    for _ in 1...2 {
      simulation.run { [client] in
        _ = await #expect(throws: QueryStoreError.self) { try await client.save() }
      }
    }
    client.shutDown()
  }

  @Test("a store that cannot be read for a while is read later")
  func unreadableForAWhile() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let next = kill(first)
    next.change { $0.loadError = .denied }
    online.send(true)
    let client = client(in: next, knowing: [note()])
    simulation.run {
      _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
    }
    simulation.start(note(), with: Note(number: 2), on: client)
    simulation.advance(by: .milliseconds(500))
    expectEmpty(server.log.all)
    next.change { $0.loadError = nil }
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["2000 1", "2010 1 done", "2010 2", "2020 2 done"])
    client.shutDown()
  }

  @Test("runs made before the store is read come after those in it, in and out of the outbox")
  func orderOverRestart() {
    online.send(false)
    let first = client()
    for number in 1...2 {
      simulation.start(note(), with: Note(number: number), on: first)
    }
    let next = kill(first)
    next.change { $0.loading = .seconds(2) }
    online.send(true)
    let client = client(in: next, knowing: [note()])
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(note(), with: Note(number: 3), on: client)
    simulation.start(plain.scope("notes"), with: Note(number: 4), on: client)
    simulation.start(plain.scope("others"), with: Note(number: 5), on: client)
    simulation.start(plain, with: Note(number: 6), on: client)
    simulation.start(note(), with: Note(number: 7), on: client)
    simulation.advance(by: .seconds(3))
    let sent = server.log.all.filter { !$0.hasSuffix("done") }
    expect(
      sent == ["0 6", "2000 5", "2000 1", "2010 2", "2020 3", "2030 4", "2040 7"]
        || sent == ["0 6", "2000 1", "2000 5", "2010 2", "2020 3", "2030 4", "2040 7"]
    )
    client.shutDown()
  }

  @Test("while only runs that are not durable wait for the store, there is nothing to save")
  func nothingToSave() throws {
    store.change { $0.loadError = .denied }
    let client = client()
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(plain.scope("others"), with: Note(number: 1), on: client)
    expectEmpty(server.log.all)
    try simulation.run { [client] in try await client.save() }
    simulation.advance(by: .seconds(11))
    expectEqual(server.log.all, ["10000 1", "10010 1 done"])
    client.shutDown()
  }

  @Test("a store that is too slow holds up only durable runs")
  func slowStore() {
    store.change { $0.loading = .seconds(30) }
    let client = client()
    let events = simulation.record(client.events)
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.start(plain.scope("others"), with: Note(number: 2), on: client)
    simulation.advance(by: .seconds(40))
    expectEqual(server.log.all, ["10000 2", "10010 2 done", "30000 1", "30010 1 done"])
    expectEqual(failures(events).count, 1)
    client.shutDown()
  }

  @Test("restore tells that an outbox takes too long, and does not wait for ever")
  func restoreOfASlowStore() throws {
    store.change { $0.loading = .seconds(60) }
    let client = client()
    let begin = simulation.now
    for _ in 1...2 {
      simulation.run { [client] in
        _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
      }
    }
    expectEqual(simulation.now, begin + .seconds(10))
    simulation.advance(by: .seconds(60))
    try simulation.run { [client] in try await client.restore() }
    client.shutDown()
  }

  @Test(
    "save tells that an outbox was not read in time, and does not wait for ever",
    arguments: [false, true]
  )
  func saveToASlowStore(isLate: Bool) {
    store.change { $0.loading = .hours(100) }
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.settle()
    if isLate { simulation.advance(by: .seconds(20)) }
    simulation.run { [client] in
      _ = await #expect(throws: QueryStoreError.self) { try await client.save() }
    }
    expectEqual(simulation.now, .seconds(isLate ? 20 : 10))
    expectEqual(shown(client.outbox.currentItems), ["1 saving"])
    client.shutDown()
  }

  /// The first read fails, and a later one does not end: it began before the call, or because of the call.
  @Test(
    "save does not wait for ever for a store that fails at first, and then says nothing",
    arguments: [2, 11]
  )
  func saveToASilentStore(since seconds: Int) {
    store.change { $0.loadError = .denied }
    let client = client()
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.advance(by: .seconds(seconds) - .milliseconds(500))
    store.change {
      $0.loadError = nil
      $0.loading = .hours(100)
    }
    simulation.advance(by: .seconds(seconds == 2 ? 20 : 1))
    let begin = simulation.now
    for _ in 1...2 {
      simulation.run { [client] in
        _ = await #expect(throws: QueryStoreError.self) { try await client.save() }
      }
    }
    #expect(simulation.now <= begin + .seconds(10))
    expectEqual(shown(client.outbox.currentItems), ["1 saving"])
    client.shutDown()
  }

  @Test("an outbox says how long runs that are not durable wait for it")
  func patience() {
    store.change { $0.loading = .seconds(30) }
    let client = QueryClient(simulation: simulation) { [store] configuration in
      var outbox = OutboxConfiguration(in: store)
      outbox.restoreTimeout = .seconds(3)
      configuration.outbox = outbox
    }
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(plain.scope("others"), with: Note(number: 2), on: client)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["3000 2", "3010 2 done"])
    client.shutDown()
  }

  /// A clock whose sleep until the present is over at once.
  private struct PromptClock: Clock {
    let clock: SimulationClock

    var now: SimulationClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: SimulationClock.Instant, tolerance: Duration?) async throws {
      if deadline > now { try await clock.sleep(until: deadline, tolerance: tolerance) }
    }
  }

  /// Jobs run where they are made, so that the time is over while the outbox starts.
  @Test("an outbox that does not wait at all says so")
  func noPatience() {
    store.change { $0.loading = .seconds(30) }
    let errors = Notes<String>()
    let client = QueryClient(simulation: simulation) { [store, simulation] in
      $0.executor = InlineExecutor()
      $0.clock = PromptClock(clock: simulation.backgroundClock)
      $0.outbox = OutboxConfiguration(in: store, restoreTimeout: .zero)
      $0.onEvent = { event in
        if case .persistenceFailed(let error) = event.kind { errors.add("\(type(of: error))") }
      }
    }
    expectEqual(errors.all, ["OutboxError"])
    expect(client.cache.read { !$0.mutations.awaitsKeeper })
    client.shutDown()
    simulation.advance(by: .minutes(1))
  }

  @Test("a client that is released writes what is not written, one that is ended silently does not")
  func endings() {
    for isReleased in [true, false] {
      let store = SlowStore(clock: simulation.clock)
      store.change { $0.loading = .seconds(1) }
      online.send(false)
      var client: QueryClient? = client(in: store)
      if let client { simulation.start(note(), with: Note(number: 1), on: client, detached: true) }
      if isReleased { client?.shutDown() } else { client?.durableRuns?.end(writing: false) }
      simulation.advance(by: .seconds(5))
      expectEqual(kept(in: store).count, isReleased ? 1 : 0)
      client?.shutDown()
      client = nil
      simulation.advance(by: .seconds(5))
      expectEqual(kept(in: store).count, isReleased ? 1 : 0)
    }
  }

  @Test("a store that is full is not asked again for each new run")
  func full() {
    online.send(false)
    let client = client()
    store.change { $0.writeErrors = Array(repeating: .full, count: 3) }
    for number in 1...30 { simulation.start(note(), with: Note(number: number), on: client) }
    #expect(store.batches.count <= 2)
    simulation.advance(by: .minutes(1))
    expectEqual(kept().count, 30)
    #expect(store.batches.count <= 6)
    client.shutDown()
  }

  @Test("a preparation that is tried again begins with nothing")
  func preparedAgain() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let fails = TestLock(true)
    let saved = Notes<Int>()
    let mutation = note().onMutate { _, _ in 1 }
      .onMutate { _, _ -> String in
        if fails.withLock({ $0 }) { throw Boom(1) }
        return "x"
      }
      .onSuccess { _, _ in saved.add(MutationJob.current?.saved.values.count ?? 0) }
    let second = client(in: kill(first), knowing: [mutation])
    expectEqual(shown(second.outbox.currentItems), ["1 stopped (boom 1) !1"])
    fails.withLock { $0 = false }
    online.send(true)
    expect(second.outbox.retry(second.outbox.currentItems[0].id))
    simulation.advance(by: .seconds(1))
    expectEqual(saved.all, [2])
    second.shutDown()
  }
}
