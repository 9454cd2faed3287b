/// Stores records beyond the life of a process.
///
/// A store does not know about queries: it has bytes under keys, separately for each partition, and can load
/// them, apply a batch, and wipe them. Its clients decide about age, size and content.
///
/// ``MemoryStore``, ``FileStore`` and ``DefaultsStore`` are built in. To write another store, conform to this
/// protocol and let `QueryStoreContract` of `StreamQueryTesting` check what can be checked of these rules:
///
/// - **Whole batches.** After ``write(_:to:)`` has returned, the whole batch survives any end of the process.
///   If the call threw, or the process ended meanwhile, the store has the whole batch or none of it. No call
///   ever reads a part of a batch.
/// - **Generations.** A batch of another generation than the present one throws
///   ``QueryStoreError/superseded(current:)`` and changes nothing. ``wipe(_:)`` begins a generation, so that
///   a late save of an ended account is refused.
/// - **Order.** Calls take effect in the order in which they were made.
/// - **No endless waits, no total loss.** A store never waits for an event that may not happen. Damaged
///   records are omitted and reported in ``StoreContents/damage``; the others are still read.
///
/// A store is an object: clients and queries share its records if they name the same object.
///
/// The caller's cancellation interrupts no batch. Before a batch, a store may check for cancellation, and
/// then throw ``QueryStoreError/failed(_:)`` with a `CancellationError`. Of the built-in stores, only a
/// suspended ``FileStore`` does this. The cancelled call has changed nothing, so call a cancelled
/// ``wipe(_:)`` again.
public protocol QueryStore: AnyObject, Sendable {
  /// The maximum number of bytes of keys and values in a partition; `Int.max`, the default, if only the disk
  /// limits them.
  ///
  /// A client saves no more than this, as with ``StoreLimit/maxBytes``. A larger single record could never
  /// be written, and would make its whole batch fail. A store that wraps another store returns the limit of
  /// that store.
  var byteLimit: Int { get }

  /// Reads the records of a partition in its present generation.
  ///
  /// - Parameter partition: The partition. A partition that was never written is empty.
  /// - Returns: The generation, the records, and the damage.
  /// - Throws: The reason why no record can be read; damage is no such reason.
  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents

  /// Reads the records of the given keys, for queries that are restored at their first use.
  ///
  /// The default implementation loads the partition and drops the other records. Declare yours `async`, even
  /// in an actor, because asynchronous code would otherwise prefer the default one.
  ///
  /// - Parameters:
  ///   - keys: The keys. The result omits keys without a record.
  ///   - partition: The partition.
  /// - Returns: The generation, the records in any order, and the damage.
  /// - Throws: The reason why no record can be read.
  func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents

  /// Applies a batch, whole or not at all; the batch is durable when the call returns.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - partition: The partition.
  /// - Throws: ``QueryStoreError/superseded(current:)`` if the batch belongs to another generation, or the
  ///   reason why it cannot be written. Earlier batches are still there.
  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError)

  /// Begins the partition's next generation, in which no former record can be read, and erases the records.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The new generation, which is greater than all before it.
  /// - Throws: The reason why the records may still be on disk. The store hides them, and tries to erase them
  ///   again when the partition is next used or wiped.
  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration

  /// Releases the resources of a partition, such as an open file, because it will not be used for a while.
  ///
  /// The records stay, and any later call works as before. A store may forget a partition without records. If
  /// the partition then has another generation, that must be a later one, so that a late save of an ended
  /// account is still refused. The default implementation does nothing.
  ///
  /// - Parameter partition: The partition.
  func release(_ partition: StorePartition) async
}

extension QueryStore {
  /// The default limit: only the disk limits the store.
  public var byteLimit: Int { .max }

  /// Does nothing, because a store need not release anything.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {}

  /// Loads the whole partition, and drops the records with other keys.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation, the records, and the damage in the partition.
  /// - Throws: The reason why no record can be read.
  /// - Complexity: O(*n*) in the size of the partition.
  public func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    let wanted = Set(keys)
    var contents = try await load(partition)
    contents.records.removeAll { !wanted.contains($0.key) }
    return contents
  }
}
