import StreamQuery
import StreamQueryPersistence

/// A store on a disk without room.
final class FullStore: QueryStore {
  private let base = MemoryStore()

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    base.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    throw .full
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    base.wipe(partition)
  }
}
