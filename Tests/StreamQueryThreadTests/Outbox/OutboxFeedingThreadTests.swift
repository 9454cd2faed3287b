import Dispatch
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A thread that begins stored runs, while another one reads the store.
struct OutboxFeedingThreadTests {
  /// The migration of a stored input, which takes until the test goes on.
  private final class Migration: Sendable {
    let began = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)

    func run(_ json: Data) throws -> Int {
      began.signal()
      goesOn.wait()
      return try JSONDecoder().decode(Int.self, from: json)
    }
  }

  private func send(_ name: String) -> Mutation<Int, Int> {
    Mutation(name) { (input: Int) in input }
  }

  @Test func aRunThatWaitedForTheStoreIsWrittenAlthoughAnotherThreadBeginsTheStoredOnes() throws {
    // The threads are the subject: that a job comes from another one is no failure here.
    let simulation = Simulation(onFailure: { _ in })
    let online = ManualSignal(false)
    let store = MemoryStore()
    let migration = Migration()
    let reader = TestLock<QueryClient?>(nil)
    let isRegistered = DispatchSemaphore(value: 0)

    func makeClient(onEvent: (@Sendable (QueryEvent) -> Void)? = nil) -> QueryClient {
      QueryClient(simulation: simulation) {
        $0.connectivity = Connectivity { online }
        $0.outbox = OutboxConfiguration(in: store)
        $0.onEvent = onEvent
      }
    }
    func keptCount() -> Int { store.load(.main).records.count }

    let first = makeClient()
    simulation.settle()
    first.observer(of: send("stored").durable()).start(with: 1)
    simulation.settle()
    first.shutDown()
    simulation.settle()
    // The client reports it between reading the store and beginning the runs.
    let unreadable = StoreRecord(key: "outbox/unreadable", value: Data())
    try store.write(StoreBatch(generation: .first, puts: [unreadable]), to: .main)
    expectEqual(keptCount(), 2)

    let stored = send("stored").durable(version: "2") { json, _ in try migration.run(json) }
    let second = makeClient { event in
      guard case .persistenceFailed = event.kind else { return }
      guard let client = reader.withLock({ $0.take() }) else { return }
      // A queue of its own: the pool's threads may all be busy with tests that wait like this one.
      DispatchQueue(label: "registers").async {
        client.outbox.register(stored)
        isRegistered.signal()
      }
      migration.began.wait()
    }
    reader.withLock { $0 = second }
    second.observer(of: send("new").durable()).start(with: 2)
    simulation.settle()
    // Otherwise nothing was registered, and the next wait would never end.
    let isRegistering = reader.withLock { $0 == nil }
    try #require(isRegistering)
    expectEqual(keptCount(), 2)
    migration.goesOn.signal()
    isRegistered.wait()
    simulation.settle()
    expectEqual(keptCount(), 3)
    second.shutDown()
    simulation.settle()
  }
}
