/// Changes of a partition that are applied together, or not at all.
public struct StoreBatch: Hashable, Sendable {
  /// The generation that the writer of the batch has loaded.
  public var generation: StoreGeneration
  /// The records to add; each replaces the record with the same key.
  ///
  /// If a key occurs twice, its last record counts.
  public var puts: [StoreRecord]
  /// The keys of the records to remove; keys without a record are ignored.
  ///
  /// The removals are applied first: a key that is also in ``puts`` has a record afterwards.
  public var removals: [String]

  /// Creates a batch.
  ///
  /// - Parameters:
  ///   - generation: The generation that the writer of the batch has loaded.
  ///   - puts: The records to add or replace.
  ///   - removals: The keys of the records to remove.
  public init(
    generation: StoreGeneration,
    puts: [StoreRecord] = [],
    removals: [String] = []
  ) {
    self.generation = generation
    self.puts = puts
    self.removals = removals
  }

  /// Whether the batch changes nothing.
  public var isEmpty: Bool { puts.isEmpty && removals.isEmpty }
}
