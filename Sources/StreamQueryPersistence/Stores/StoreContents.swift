/// The contents of a partition in a store.
public struct StoreContents: Hashable, Sendable {
  /// The partition's present generation, for the batches that follow.
  public var generation: StoreGeneration
  /// The records; no two have the same key.
  public var records: [StoreRecord]
  /// The places that could not be read, and were omitted; a store reports each place once.
  public var damage: [StoreDamage]

  /// Creates contents.
  ///
  /// - Parameters:
  ///   - generation: The present generation.
  ///   - records: The records.
  ///   - damage: The places that were omitted.
  public init(
    generation: StoreGeneration,
    records: [StoreRecord] = [],
    damage: [StoreDamage] = []
  ) {
    self.generation = generation
    self.records = records
    self.damage = damage
  }
}
