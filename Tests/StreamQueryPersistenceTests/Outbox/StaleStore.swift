import StreamQueryPersistence
import Synchronization

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// A store that answers a while after it has looked, and writes a while after it was asked to.
final class StaleStore: QueryStore {
  let memory = MemoryStore()
  let clock: any Clock<Duration>
  let wait = TestLock(Duration.zero)
  let writing = TestLock(Duration.zero)

  init(clock: any Clock<Duration>) { self.clock = clock }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    let contents = memory.load(partition)
    let wait = wait.withLock { $0 }
    if wait > .zero { try? await clock.sleep(for: wait) }
    return contents
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    let wait = writing.withLock { $0 }
    if wait > .zero { try? await clock.sleep(for: wait) }
    try memory.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    memory.wipe(partition)
  }
}
