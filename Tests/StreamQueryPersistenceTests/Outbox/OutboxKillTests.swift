import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Processes that end at any moment: what was acknowledged is sent, in order, with its key.
struct OutboxKillTests {
  /// What the server of one history saw.
  final class Server: Sendable {
    struct Request: Equatable {
      var number: Int
      var scope: String
      var key: UUID
    }

    let requests = TestLock<[Request]>([])
    /// The keys of the requests that it answered.
    let done = TestLock<Set<UUID>>([])
  }

  private func mutation(_ scope: String, _ server: Server) -> Mutation<Int, Int> {
    Mutation<Int, Int>("send", scope) { input, context in
      server.requests.withLock {
        $0.append(Server.Request(number: input, scope: scope, key: context.idempotencyKey))
      }
      try await Scheduling.current.clock.sleep(for: .milliseconds(7))
      server.done.withLock { _ = $0.insert(context.idempotencyKey) }
      return input
    }
    .scope(scope)
    .durable()
  }

  private func client(
    _ simulation: Simulation,
    _ store: any QueryStore,
    _ mutations: [Mutation<Int, Int>]
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.outbox = OutboxConfiguration(in: store, mutations: mutations)
    }
  }

  /// A process that starts six runs and ends after some milliseconds.
  ///
  /// - Returns: The store as the next process finds it.
  private func process(
    _ store: MemoryStore,
    _ server: Server,
    _ number: Int,
    killedAfter time: Int
  ) -> MemoryStore {
    let simulation = Simulation(seed: UInt64(number * 1_000 + time))
    let slow = SlowStore(store, clock: simulation.clock) {
      $0.writing = .milliseconds(3)
      $0.loading = .milliseconds(2)
    }
    let mutations = ["a", "b"].map { mutation($0, server) }
    let client = client(simulation, slow, mutations)
    for round in 0..<3 {
      for mutation in mutations {
        client.observer(of: mutation).start(with: number * 10 + round)
      }
    }
    simulation.advance(by: .milliseconds(time))
    let copy = MemoryStore()
    try? copy.write(StoreBatch(generation: .first, puts: store.load(.main).records), to: .main)
    client.shutDown()
    simulation.settle()
    return copy
  }

  @Test(arguments: 0..<40)
  func nothingThatWasAcknowledgedIsLostOrOvertaken(time: Int) throws {
    let server = Server()
    var store = MemoryStore()
    var acknowledged: Set<UUID> = []
    for number in 0..<3 {
      store = process(store, server, number, killedAfter: (time + number * 11) % 40)
      for record in store.load(.main).records {
        acknowledged.insert(try #require(OutboxRecord(record.value)).header.id)
      }
    }
    // The last process is left alone.
    let simulation = Simulation(seed: 77)
    let mutations = ["a", "b"].map { mutation($0, server) }
    let last = client(simulation, store, mutations)
    simulation.advance(by: .seconds(10))
    expectEmpty(store.load(.main).records)
    expectEmpty(last.outbox.currentItems)
    last.shutDown()
    #expect(acknowledged.isSubset(of: server.done.withLock { $0 }))
    let requests = server.requests.withLock { $0 }
    for scope in ["a", "b"] {
      // By first requests, and by last ones: repeated runs keep their order, too.
      let sent = requests.filter { $0.scope == scope }
      for order in [sent, sent.reversed()] {
        var seen: Set<UUID> = []
        let firsts = order.filter { seen.insert($0.key).inserted }.map(\.number)
        expectEqual(firsts, order == sent ? firsts.sorted() : firsts.sorted().reversed())
      }
      let keys = Dictionary(grouping: sent, by: \.number).mapValues { Set($0.map(\.key)).count }
      #expect(keys.values.allSatisfy { $0 == 1 })
    }
  }

  @Test("a store on a disk that fails and loses power keeps what was promised")
  func powerCuts() async throws {
    for cut in 0..<25 {
      let disk = SimulatedDisk()
      disk.fail(.powerCut(after: 0), at: cut)
      var ids: [UUID] = []
      do {
        let store = FileStore(directory: "/outbox", system: disk)
        var generation = StoreGeneration.first
        generation = try await store.load(.main).generation
        for number in 1...4 {
          let id = RunIdentity(high: UInt64(number) << 16, low: UInt64(number))
          let header = OutboxRecord.Header(
            id: id.uuid,
            revision: 0,
            mutation: "m",
            scope: "s",
            date: 1,
            version: ""
          )
          let record = try OutboxRecord(header, input: Data("\(number)".utf8))
          let put = StoreRecord(key: OutboxRecord.key(UInt64(number), id), value: record.data)
          try await store.write(StoreBatch(generation: generation, puts: [put]), to: .main)
          ids.append(id.uuid)
        }
      } catch {}
      disk.restart(cut.isMultiple(of: 2) ? .nothing : .everything)
      let contents = try await FileStore(directory: "/outbox", system: disk).load(.main)
      let (records, unreadable) = OutboxLedger.decodedRecords(contents)
      expectEmpty(unreadable)
      expectEqual(Array(records.map(\.record.header.id).prefix(ids.count)), ids)
    }
  }
}
