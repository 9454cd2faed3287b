import RedisServers
import StreamQuery
import StreamQueryShared
import Synchronization
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// What the return of a server costs that has lost its memory: as much as there are keys.
  @Suite(.timeLimit(.minutes(1))) struct RedisReturnTests {
    private let server: TestServer
    private let requests = Requests()
    private let keys = 10

    init() throws { server = try TestServer() }

    /// How often upstream was asked.
    private final class Requests: Sendable {
      let count = Mutex(0)
    }

    /// A machine in this process.
    private struct Machine: Sendable {
      let client: QueryClient
      let cache: SharedCache
      let store: RedisStore
      let queries: [Query<Int>]
      let reading: Task<Void, Never>
      /// Ends when the machine reads the log, and when it has seen that the server forgot.
      let (reads, forgets): (AsyncStream<Void>, AsyncStream<Void>)
    }

    private func machine() throws -> Machine {
      let (reads, isReading) = AsyncStream<Void>.makeStream()
      let (forgets, hasForgotten) = AsyncStream<Void>.makeStream()
      // A busy machine is no reason to believe that the server is away.
      var settings = RedisStoreConfiguration()
      settings.timeouts = RedisTimeouts(connect: .seconds(20), command: .seconds(20))
      let store = RedisStore(server.endpoint, namespace: "return", configuration: settings)
      var configuration = SharedCacheConfiguration(namespace: "return")
      configuration.timeout = .seconds(15)
      configuration.trust = .seconds(60)
      configuration.pauses = (first: .milliseconds(100), longest: .milliseconds(300))
      configuration.onEvent = { event in
        switch event {
        case .followsLog: isReading.finish()
        case .gap: hasForgotten.finish()
        default: break
        }
      }
      let client = QueryClient(configuration: .server)
      let cache = try SharedCache(store, for: client, configuration)
      let queries = (0..<keys).map { key in
        Query<Int>("item", key) { [requests] in
          requests.count.withLock { $0 += 1 }
          return key
        }
        .staleTime(.minutes(10))
        .shared(through: cache)
      }
      let reading = Task { await cache.run() }
      return Machine(
        client: client,
        cache: cache,
        store: store,
        queries: queries,
        reading: reading,
        reads: reads,
        forgets: forgets
      )
    }

    /// All callers of all machines ask for all keys at once.
    private func ask(_ machines: [Machine], callers: Int) async throws {
      try await withThrowingTaskGroup { group in
        for machine in machines {
          for query in machine.queries {
            for _ in 0..<callers { group.addTask { _ = try await machine.client.fetch(query) } }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test func itCostsARequestForEachKeyAndScriptsForEachKeyAndMachine() async throws {
      let machines = try (0..<6).map { _ in try machine() }
      for machine in machines { for await _ in machine.reads {} }
      server.kill()
      try await ask(machines, callers: 2)
      // Each fetched for itself.
      #expect(requests.count.withLock { $0 } == machines.count * keys)
      try server.start()
      for machine in machines { for await _ in machine.forgets {} }
      requests.count.withLock { $0 = 0 }
      try await tell(server, "CONFIG", "RESETSTAT")
      try await ask(machines, callers: 100)
      #expect(requests.count.withLock { $0 } == keys)
      // A machine asks for a key at most twice, one of them stores it, and each reads that in the log,
      // at worst message by message, and once more at its end. There were 6,000 calls.
      let pairs = machines.count * keys
      #expect(try await calls(server, "evalsha") <= 2 * pairs + keys + pairs + 2 * machines.count)
      for machine in machines {
        machine.reading.cancel()
        await machine.reading.value
        await machine.store.close()
      }
    }
  }
}
