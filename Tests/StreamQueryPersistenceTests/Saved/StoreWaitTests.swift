import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// Waits for a store by code that has let go of the client.
struct StoreWaitTests: OutboxSuite {
  let simulation = Simulation(seed: 33)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  @Test func aWaitForAStoreDoesNotRetainTheClientAndEndsWithIt() throws {
    store.change { $0.loading = .seconds(60) }
    var client: QueryClient? = client()
    weak let freed = client
    let outbox = try #require(client?.durableRuns as? OutboxEngine)
    let waits = simulation.task { _ = await outbox.waitUntilRestored() }
    simulation.settle()
    client = nil
    expectNil(freed)
    simulation.settle()
    let end = simulation.clock.now
    simulation.run { await waits.value }
    expectEqual(simulation.clock.now, end)
  }
}
