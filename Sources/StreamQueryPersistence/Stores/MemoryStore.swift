internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A store that lives in memory until it is released: for tests, previews and clients that share records.
///
/// The store is as fast as a dictionary, and its only error is ``QueryStoreError/superseded(current:)``.
public final class MemoryStore: QueryStore {
  private struct Partition {
    var generation = StoreGeneration.first
    var values: [String: Data] = [:]
  }

  private struct State {
    var partitions: [StorePartition: Partition] = [:]
    /// The generation of all partitions that do not exist; none of them has had a later one.
    var floor = StoreGeneration.first

    subscript(_ partition: StorePartition) -> Partition {
      partitions[partition] ?? Partition(generation: floor)
    }

    /// Returns a partition, and creates it if necessary, so that its generation does not change when another
    /// partition is released.
    mutating func read(_ partition: StorePartition) -> Partition {
      if partitions[partition] == nil { partitions[partition] = self[partition] }
      return self[partition]
    }
  }

  private let state = Mutex(State())

  /// Creates an empty store.
  public init() {}

  /// Returns the records of a partition, sorted by key.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation and the records.
  public func load(_ partition: StorePartition) -> StoreContents {
    let found = state.withLock { $0.read(partition) }
    return StoreContents(
      generation: found.generation,
      // The records are sorted, because no output may depend on the order of a dictionary.
      records: found.values.map(StoreRecord.init).sorted { $0.key < $1.key }
    )
  }

  /// Returns the records of the given keys, in the order of `keys`, each once.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation and the records.
  /// - Complexity: O(*n*) in the number of keys.
  public func load(_ keys: [String], of partition: StorePartition) async -> StoreContents {
    // The method is asynchronous, because asynchronous code would otherwise prefer the default
    // implementation.
    let found = state.withLock { $0.read(partition) }
    var seen: Set<String> = []
    let records = keys.compactMap { key in
      seen.insert(key).inserted ? found.values[key].map { StoreRecord(key: key, value: $0) } : nil
    }
    return StoreContents(generation: found.generation, records: records)
  }

  /// Applies a batch to a partition.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - partition: The partition.
  /// - Throws: ``QueryStoreError/superseded(current:)``.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) throws(QueryStoreError) {
    let current = state.withLock { state in
      let current = state[partition].generation
      guard current == batch.generation else { return current }
      for key in batch.removals { state.partitions[partition]?.values[key] = nil }
      // The dictionary is changed in place, because a copy would take time in proportion to all of its
      // records.
      let empty = Partition(generation: current)
      for record in batch.puts {
        state.partitions[partition, default: empty].values[record.key] = record.value
      }
      return current
    }
    guard current == batch.generation else { throw .superseded(current: current) }
  }

  /// Removes all records of a partition, and begins its next generation.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The new generation.
  public func wipe(_ partition: StorePartition) -> StoreGeneration {
    state.withLock { state in
      let next = state[partition].generation.next
      state.partitions[partition] = Partition(generation: next)
      return next
    }
  }

  /// Removes the partition, if it has no record.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {
    // The method is asynchronous, because asynchronous code would otherwise prefer the default
    // implementation.
    state.withLock { state in
      guard let found = state.partitions[partition], found.values.isEmpty else { return }
      state.floor = max(state.floor, found.generation)
      state.partitions[partition] = nil
    }
  }
}
