/// Keeps records beyond the life of a process.
///
/// A store knows nothing of queries: it keeps bytes under keys, apart for each partition, and answers
/// three questions: what is there, take this batch, forget everything. Decisions about age, size and
/// content are made by those who write to it.
///
/// ``MemoryStore``, ``FileStore`` and ``DefaultsStore`` are built in. To write another, conform to this
/// protocol and let `QueryStoreContract` of `StreamQueryTesting` check each of these rules:
///
/// - **Whole batches.** After ``write(_:to:)`` returned, all of the batch is there after any end of
///   the process. If it threw, or the process ended within, all of it is there or nothing. Nobody
///   ever reads a part of a batch.
/// - **Generations.** A batch of another generation than the present one throws
///   ``QueryStoreError/superseded(current:)`` and changes nothing. ``wipe(_:)`` begins a generation,
///   so that a late save of an ended account finds its generation gone.
/// - **Order.** Calls take effect in the order in which they were made.
/// - **No surprises.** A store never waits for something that may not happen. Damaged records are
///   left out and reported in ``StoreContents/damage``; the others are still read.
///
/// A store is an object: clients and queries that name the same one share its records.
///
/// The caller's cancellation ends nothing halfway. A store may notice it before it begins a batch, and
/// then throws ``QueryStoreError/failed(_:)`` with a `CancellationError`; the built-in stores ignore it.
public protocol QueryStore: AnyObject, Sendable {
  /// The most bytes of keys and values that a partition has room for; `Int.max`, the default, if only the
  /// disk says so.
  ///
  /// A client keeps no more than that, as with a ``StoreLimit``. A single record above it could
  /// never be written, and would make its whole batch fail. A store that wraps another returns that one's.
  var byteLimit: Int { get }

  /// Reads the records of a partition in its present generation.
  ///
  /// - Parameter partition: The partition. A partition that was never written is empty.
  /// - Returns: The generation, the records, and what was damaged.
  /// - Throws: The reason why nothing can be read. Damage is no such reason.
  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents

  /// Reads the records with some keys, for those that are restored at their first use.
  ///
  /// The default implementation loads the partition and drops the others. Declare your own `async`,
  /// even in an actor: asynchronous code that calls your type prefers the default one to another
  /// that is not.
  ///
  /// - Parameters:
  ///   - keys: The keys. Keys without a record are left out of the result.
  ///   - partition: The partition.
  /// - Returns: The generation, the records in any order, and what was damaged.
  /// - Throws: The reason why nothing can be read.
  func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents

  /// Applies a batch, whole or not at all.
  ///
  /// The batch is durable when the call returns.
  ///
  /// - Parameters:
  ///   - batch: What changes.
  ///   - partition: The partition.
  /// - Throws: ``QueryStoreError/superseded(current:)`` if the batch belongs to another generation, or
  ///   the reason why it cannot be written. What was written before is still there.
  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError)

  /// Makes every record of a partition unreadable at once, and erases them.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation that begins, which is greater than all before it.
  /// - Throws: The reason why the records may still be on disk. Until the store can erase them, it
  ///   does not show them, and it tries again whenever the partition is used or wiped again.
  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration

  /// A partition will not be used for a while: a store may give back what it holds to use it, such as
  /// an open file.
  ///
  /// Its records stay, and any later call works as before. A store may forget a partition without records. If such a
  /// partition is in another generation afterwards, that must be a later one, so that a late save of an ended account is
  /// refused all the same. The default implementation does nothing.
  ///
  /// - Parameter partition: The partition.
  func release(_ partition: StorePartition) async
}

extension QueryStore {
  /// `Int.max`: only the disk limits it.
  public var byteLimit: Int { .max }

  /// Does nothing.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {}

  /// Reads the partition, and drops the records with other keys.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation, the records, and what was damaged in the partition.
  /// - Throws: The reason why nothing can be read.
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
