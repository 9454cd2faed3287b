import StreamQueryTesting
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// Clients whose stores have, or want, one directory.
struct SharedDirectoryTests {
  private let simulation = Simulation(seed: 13)
  private let disk = SimulatedDisk()
  private let online = ManualSignal(false)
  private let server: NoteServer
  private let name: QueryKey<String> = "name"

  init() { server = NoteServer(simulation) }

  private var note: Mutation<Note, String> {
    Mutation("note") { [server] input, context in try await server.send(input, context) }
      .scope("notes")
      .durable()
  }

  private func files() -> FileStore {
    FileStore(directory: "/store", system: disk, waste: 100)
  }

  private func client(
    _ store: any QueryStore,
    _ partition: StorePartition = .main
  ) -> QueryClient {
    QueryClient(simulation: simulation) { [online, note] in
      $0.connectivity = Connectivity { online }
      $0.persistence = Persistence(in: store)
      $0.outbox = OutboxConfiguration(in: store, mutations: [note])
      $0.partition = partition
    }
  }

  /// What a client that cannot use its store does: everything but keeping.
  private func expectUseless(
    _ client: QueryClient,
    _ events: ResultRecording<QueryEvent>,
    _ error: String
  )
    throws
  {
    simulation.run {
      _ = await #expect { try await client.restore() } throws: { "\($0)" == error }
    }
    client.setData("theirs", for: name)
    expectEqual(client.data(for: name), "theirs")
    simulation.run { [note] in
      await #expect {
        try await client.mutate(note, with: Note(number: 9))
      } throws: {
        guard case OutboxError.unwritable(let reason) = $0 else { return false }
        return "\(reason)" == error
      }
      _ = await #expect {
        try await client.save()
      } throws: {
        ($0 as? QuerySaveError)?.failures.map { "\($0.error)" } == [error]
      }
    }
    let told = events.values.filter {
      if case .persistenceFailed(let reason) = $0.kind { "\(reason)" == error } else { false }
    }
    // The queries', and the outbox's.
    expectEqual(told.map(\.store), Array(repeating: "FileStore, partition main", count: 2))
  }

  @Test("the second client on a directory works without it, says so, and costs the first nothing")
  func secondClient() throws {
    let first = client(files())
    simulation.settle()
    let second = client(files())
    let events = simulation.record(second.events)
    simulation.settle()
    first.setData("mine", for: name)
    first.observer(of: note).start(with: Note(number: 1))
    try simulation.run { try await first.save() }
    try expectUseless(second, events, QueryStoreError.inUse.description)
    events.cancel()
    second.shutDown()
    simulation.advance(by: .minutes(2))
    first.setData("mine, later", for: name)
    first.shutDown()
    simulation.settle()
    disk.endProcess()

    let next = client(files())
    try simulation.run { try await next.restore() }
    expectEqual(next.data(for: name), "mine, later")
    expectEqual(next.outbox.currentItems.count, 1)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.map { String($0.split(separator: " ")[1]) }, ["1", "1"])
    expectEmpty(next.outbox.currentItems)
    next.shutDown()
  }

  @Test("two clients that share a store object, with a partition each, share nothing else")
  func oneStore() throws {
    let store = files()
    let partitions: [StorePartition] = ["one", "two"]
    for (number, client) in partitions.map({ client(store, $0) }).enumerated() {
      simulation.settle()
      client.setData("\(number)", for: name)
      client.observer(of: note).start(with: Note(number: number))
      client.shutDown()
    }
    simulation.settle()
    let next = partitions.map { client(store, $0) }
    simulation.settle()
    expectEqual(next.map { $0.data(for: name) }, ["0", "1"])
    expectEqual(next.map { $0.outbox.currentItems.count }, [1, 1])
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(server.keys.all.count, 2)
    for client in next { client.shutDown() }
  }

  @Test("a directory that a later version has written is left as it is by a client and its outbox")
  func otherVersion() throws {
    let former = client(files())
    simulation.settle()
    former.setData("kept", for: name)
    former.observer(of: note).start(with: Note(number: 1))
    former.shutDown()
    simulation.settle()
    disk.endProcess()
    disk.makeLater("/store/main@0.log")
    let files = disk.files

    let client = client(self.files())
    let events = simulation.record(client.events)
    simulation.settle()
    try expectUseless(client, events, QueryStoreError.otherVersion.description)
    events.cancel()
    online.send(true)
    client.shutDown()
    simulation.advance(by: .hours(1))
    expectEqual(disk.files, files)
    expectEmpty(server.log.all)
  }
}
