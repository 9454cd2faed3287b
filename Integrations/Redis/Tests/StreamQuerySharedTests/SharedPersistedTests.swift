import StreamQuery
import StreamQueryPersistence
import StreamQueryShared
import StreamQueryTesting
import Testing

/// Shared queries whose data each machine also keeps in a store of its own.
struct SharedPersistedTests {
  let world = World()

  /// A store that takes a second to be read.
  private final class LateStore: QueryStore {
    private let memory = MemoryStore()
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) { self.clock = clock }

    func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
      try? await clock.sleep(for: .seconds(1))
      return memory.load(partition)
    }

    func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
      try memory.write(batch, to: partition)
    }

    func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
      memory.wipe(partition)
    }
  }

  @Test func aWriteDoesNotWaitForTheMachinesOwnStore() throws {
    let (first, second) = (world.machine(), world.machine())
    let store = LateStore(clock: world.simulation.clock)
    let query = world.query(first).persisted(in: store)
    try world.simulation.run { try await first.cache.write(42, for: query) }
    #expect(first.client.data(for: query) == 42)
    #expect(!first.client.isStale(query))
    // Another machine changes the value before the first one has read its store.
    let other = world.query(second)
    try world.simulation.run { try await second.cache.write(43, for: other) }
    world.advance(5)
    #expect(first.client.isStale(query))
  }

  @Test func aWriteThatNobodyWatchesIsStaleAtOnce() throws {
    let machine = world.machine(running: false)
    let store = LateStore(clock: world.simulation.clock)
    let query = world.query(machine).persisted(in: store)
    try world.simulation.run { try await machine.cache.write(42, for: query) }
    world.advance(5)
    #expect(machine.client.data(for: query) == 42)
    #expect(machine.client.isStale(query))
  }
}
