internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A store that forgets when it is released: for tests, previews and clients that share records.
///
/// It is as fast as a dictionary, and never throws anything but
/// ``QueryStoreError/superseded(current:)``.
public final class MemoryStore: QueryStore {
  private struct Partition {
    var generation = StoreGeneration.first
    var values: [String: Data] = [:]
  }

  private let partitions = Mutex<[StorePartition: Partition]>([:])

  /// Creates an empty store.
  public init() {}

  /// Returns the records of a partition, sorted by key.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation and the records.
  public func load(_ partition: StorePartition) -> StoreContents {
    let found = partitions.withLock { $0[partition] ?? Partition() }
    return StoreContents(
      generation: found.generation,
      // No output depends on the order of a dictionary.
      records: found.values.map(StoreRecord.init).sorted { $0.key < $1.key }
    )
  }

  /// Returns the records with some keys, in their order.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation and the records.
  /// - Complexity: O(*n*) in the number of keys.
  public func load(_ keys: [String], of partition: StorePartition) async -> StoreContents {
    // Asynchronous like the default implementation, which asynchronous code would prefer otherwise.
    let found = partitions.withLock { $0[partition] ?? Partition() }
    var seen: Set<String> = []
    let records = keys.compactMap { key in
      seen.insert(key).inserted ? found.values[key].map { StoreRecord(key: key, value: $0) } : nil
    }
    return StoreContents(generation: found.generation, records: records)
  }

  /// Applies a batch.
  ///
  /// - Parameters:
  ///   - batch: What changes.
  ///   - partition: The partition.
  /// - Throws: ``QueryStoreError/superseded(current:)``.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) throws(QueryStoreError) {
    let current = partitions.withLock { partitions in
      let current = partitions[partition]?.generation ?? .first
      guard current == batch.generation else { return current }
      for key in batch.removals { partitions[partition]?.values[key] = nil }
      for record in batch.puts {
        partitions[partition, default: Partition()].values[record.key] = record.value
      }
      return current
    }
    guard current == batch.generation else { throw .superseded(current: current) }
  }

  /// Forgets the records of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation that begins.
  public func wipe(_ partition: StorePartition) -> StoreGeneration {
    partitions.withLock { partitions in
      let next = (partitions[partition]?.generation ?? .first).next
      partitions[partition] = Partition(generation: next)
      return next
    }
  }
}
