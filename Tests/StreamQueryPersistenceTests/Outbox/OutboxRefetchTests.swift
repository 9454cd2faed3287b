import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Fetches and refetches of what is watched, while the server refuses a change.
struct OutboxRefetchTests: OutboxSuite {
  let simulation = Simulation(seed: 12)
  let store: SlowStore
  let online = ManualSignal(false)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
    server.fail(1, Boom(1))
  }

  @Test("a change that the server refuses holds up no fetch that waited for the network")
  func pausedFetch() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(7))
    let recording = simulation.record(client.stream(Query("n", fetch: fetch)))
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: client) }
    expectEqual(recording.values.last?.isPaused, true)
    online.send(true)
    simulation.advance(by: .milliseconds(500))
    expectEqual(server.log.all, ["0 1", "10 1 failed"])
    expectEqual(recording.values.last?.data, 7)
    expectEqual(recording.values.last?.isPaused, false)
    client.shutDown()
  }

  @Test("changes that wait behind a refused one do not delay the refetches of an activation")
  func activation() {
    let active = ManualSignal(true)
    online.send(true)
    let client = client { [active] in $0.activity = AppActivity { active } }
    let fetch = ScriptedFetch<Int>(.value(7))
    client.setData(0, for: QueryKey<Int>("n"))
    let query = Query("n", fetch: fetch).refetchOnSubscribe(false)
    let recording = simulation.record(client.stream(query))
    for number in 1...2 { simulation.start(note(), with: Note(number: number), on: client) }
    simulation.advance(by: .milliseconds(500))
    expectEqual(server.log.all, ["0 1", "10 1 failed"])
    expectEqual(fetch.callCount, 0)
    active.send(false)
    simulation.settle()
    active.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    expectEqual(recording.values.last?.data, 7)
    client.shutDown()
  }

  @Test("a change that the store does not take holds up no refetch of a reconnect")
  func unstored() {
    let client = client()
    store.change { $0.refuses = { _, _ in .full } }
    let fetch = ScriptedFetch<Int>(.value(7))
    client.setData(0, for: QueryKey<Int>("n"))
    let query = Query("n", fetch: fetch).refetchOnSubscribe(false)
    let recording = simulation.record(client.stream(query))
    let mutation = note().onMutate { _, _ -> Int in
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
      return 1
    }
    simulation.start(mutation, with: Note(number: 2), on: client)
    online.send(true)
    simulation.advance(by: .milliseconds(50))
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    expectEqual(recording.values.last?.data, 7)
    expectEmpty(server.log.all)
    client.shutDown()
  }

  @Test("nor does a run that waits behind such a change, while an earlier change is sent")
  func behindUnstored() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(7))
    client.setData(0, for: QueryKey<Int>("n"))
    let query = Query("n", fetch: fetch).refetchOnSubscribe(false)
    let recording = simulation.record(client.stream(query))
    simulation.start(note(), with: Note(number: 2), on: client)
    store.change { $0.refuses = { _, _ in .full } }
    simulation.start(note(), with: Note(number: 3), on: client)
    let plain = Mutation<Note, String>(key: "plain") { [server] input, context in
      try await server.send(input, context)
    }
    simulation.start(plain.scope("notes"), with: Note(number: 4), on: client)
    expectEqual(shown(client.outbox.currentItems), ["2 waiting", "3 saving"])
    online.send(true)
    simulation.settle()
    let ends = Notes<Int>()
    simulation.task { [client] in
      await client.resumeMutations()
      ends.add(1)
    }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 2", "10 2 done"])
    expectEqual(fetch.callCount, 1)
    expectEqual(ends.count, 1)
    expectEqual(recording.values.last?.data, 7)
    client.shutDown()
  }

  /// A client that has imported a run from the archive of another one, and holds it until it is resumed.
  private func importing(_ input: Note) -> QueryClient {
    online.send(false)
    let first = client(in: SlowStore(clock: simulation.clock))
    simulation.start(note(), with: input, on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    online.send(true)
    let second = client()
    let imported = second.import(archive, for: [.mutation(note())], resuming: false)
    expectEqual(imported.mutationCount, 1)
    return second
  }

  /// Resumes the runs of a client, and notes when the call has returned.
  private func resume(_ client: QueryClient) -> Notes<Int> {
    let ends = Notes<Int>()
    simulation.task { [client] in
      await client.resumeMutations()
      ends.add(1)
    }
    return ends
  }

  @Test("whoever resumes runs does not wait for a store that fails to keep them")
  func resumedBeforeAFailingStore() {
    let second = importing(Note(number: 1))
    store.change { $0.refuses = { _, _ in .full } }
    let ends = resume(second)
    simulation.advance(by: .seconds(1))
    expectEqual(shown(second.outbox.currentItems), ["1 saving"])
    expectEqual(ends.count, 1)
    store.change { $0.refuses = nil }
    simulation.advance(by: .minutes(2))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    second.shutDown()
  }

  /// The time to wait for the store is over, or a read has failed and the next one comes later.
  @Test("nor for a store that is silent, or could not be read", arguments: [false, true])
  func resumedBeforeAnUnreadStore(fails: Bool) {
    store.change {
      if fails { $0.loadError = .denied } else { $0.loading = .hours(1) }
    }
    let second = importing(Note(number: 2))
    simulation.advance(by: .milliseconds(fails ? 2_500 : 20_000))
    let ends = resume(second)
    simulation.advance(by: .seconds(1))
    expectEqual(shown(second.outbox.currentItems), ["2 saving"])
    expectEqual(ends.count, 1)
    store.change { $0.loadError = nil }
    simulation.advance(by: .hours(2))
    expectEqual(server.log.all.count { $0.hasSuffix(" 2 done") }, 1)
    second.shutDown()
  }
}
