/// What a store has of a partition.
public struct StoreContents: Hashable, Sendable {
  /// The present generation, for the batches that follow.
  public var generation: StoreGeneration
  /// The records; no two have the same key.
  public var records: [StoreRecord]
  /// What could not be read and was left out.
  ///
  /// A store reports each place once.
  public var damage: [StoreDamage]

  /// Creates contents.
  ///
  /// - Parameters:
  ///   - generation: The present generation.
  ///   - records: The records.
  ///   - damage: What was left out.
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
