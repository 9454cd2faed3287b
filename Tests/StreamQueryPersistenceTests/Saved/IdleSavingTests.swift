import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What `idle()` awaits of stores and of the outbox.
struct IdleSavingTests {
  private let simulation = Simulation(seed: 97)
  private let fetch = ScriptedFetch<String>(.value("fetched", after: .milliseconds(100)))
  private var name: Query<String> { Query("name", fetch: fetch) }

  private func client(_ store: any QueryStore) -> QueryClient {
    QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
  }

  private func slow(_ change: (inout SlowStore.Script) -> Void) -> SlowStore {
    SlowStore(clock: simulation.clock, change)
  }

  /// When it went on, in milliseconds; `nil` as long as it waits.
  private func idle(_ client: QueryClient) -> Dial<Int?> {
    let end = Dial<Int?>(nil)
    simulation.task { [simulation] in
      await client.idle()
      end.value = Int(simulation.now / .milliseconds(1))
    }
    simulation.settle()
    return end
  }

  @Test("T97: it waits until the store is read, and what follows is fetched and saved")
  func readFetchedAndSaved() {
    let store = slow { ($0.loading, $0.writing) = (.milliseconds(500), .milliseconds(50)) }
    let client = client(store)
    let recording = simulation.record(client.stream(name))
    let end = idle(client)
    simulation.advance(by: .milliseconds(620))
    expectEqual(recording.values.last?.data, "fetched")
    expectNil(end.value)
    simulation.advance(by: .seconds(1))
    expectEqual(end.value, 650)
    expectEqual(store.batches.count, 1)
    client.shutDown()
    simulation.settle()
  }

  @Test func whatIsFetchedWhileItSavesIsSavedToo() {
    let store = slow { $0.writing = .milliseconds(500) }
    let client = client(store)
    simulation.settle()
    client.setData("written", for: QueryKey<String>("other"))
    let end = idle(client)
    simulation.task { [name] in
      try await client.scheduling.clock.sleep(for: .milliseconds(100))
      await client.prefetch(name)
    }
    simulation.advance(by: .seconds(5))
    expectEqual(end.value, 1_000)
    expectEqual(store.batches.count, 2)
    client.shutDown()
    simulation.settle()
  }

  @Test func aStoreThatFailsIsNotAwaited() {
    let store = slow { $0.writeErrors = Array(repeating: .denied, count: 3) }
    let client = client(store)
    simulation.settle()
    client.setData("written", for: name)
    expectEqual(idle(client).value, 0)
    simulation.advance(by: .seconds(30))
    expectEqual(store.batches.count, 4)
    client.shutDown()
    simulation.settle()
  }

  @Test func aStoreThatCannotBeReadIsNotAwaited() {
    let store = slow { $0.loadError = .denied }
    let client = client(store)
    client.setData("written", for: name)
    let end = idle(client)
    simulation.advance(by: .milliseconds(1))
    expectEqual(end.value, 0)
    client.shutDown()
    simulation.settle()
  }

  @Test("T97: a caller that is cancelled while a store is written leaves at once")
  func cancelled() {
    let store = slow { $0.writing = .seconds(5) }
    let client = client(store)
    simulation.settle()
    client.setData("written", for: name)
    let end = Dial(false)
    let task = simulation.task {
      await client.idle()
      end.value = true
    }
    simulation.advance(by: .milliseconds(100))
    expect(!end.value)
    task.cancel()
    simulation.settle()
    expect(end.value)
    client.shutDown()
    simulation.advance(by: .seconds(20))
  }
}

/// The same of durable runs.
struct IdleOutboxTests: OutboxSuite {
  let simulation = Simulation(seed: 98)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test("T97: a durable run is awaited until its record is gone, and not while it is offline")
  func durableRun() {
    store.change { $0.writing = .milliseconds(5) }
    let client = client()
    _ = simulation.start(note(), with: Note(number: 1), on: client)
    let end = Dial<[String]?>(nil)
    simulation.task { [suite = self] in
      await client.idle()
      end.value = suite.kept()
    }
    simulation.advance(by: .seconds(1))
    expectEqual(end.value, [])
    expectEqual(server.log.all, ["5 1", "15 1 done"])
    online.send(false)
    simulation.settle()
    end.value = nil
    _ = simulation.start(note(), with: Note(number: 2), on: client)
    simulation.task { [suite = self] in
      await client.idle()
      end.value = suite.kept()
    }
    simulation.advance(by: .seconds(1))
    expectEqual(end.value, ["{number:2,text:}"])
    online.send(true)
    simulation.advance(by: .seconds(1))
    client.shutDown()
    simulation.settle()
  }

  @Test("T97: a durable run is not awaited if its outbox takes too long to be read")
  func outboxThatIsNotRead() {
    store.change { $0.loading = .hours(100) }
    let client = client()
    _ = simulation.start(note(), with: Note(number: 1), on: client)
    let end = Dial<Duration?>(nil)
    simulation.task { [simulation] in
      await client.idle()
      end.value = simulation.now
    }
    simulation.advance(by: .minutes(1))
    expectEqual(end.value, Duration.seconds(10))
    client.shutDown()
  }
}
