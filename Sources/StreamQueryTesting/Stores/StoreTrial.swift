#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StreamQueryPersistence

/// The check of one store against one rule.
final class StoreTrial<Store: QueryStore> {
  private let place: StorePlace
  private let open: @Sendable (StorePlace) async throws -> Store
  private let close: @Sendable (Store) async throws -> Void
  private var current: Store?
  /// The violations of the rule that the check has seen.
  private(set) var seen: [String] = []

  init(
    place: StorePlace,
    open: @escaping @Sendable (StorePlace) async throws -> Store,
    close: @escaping @Sendable (Store) async throws -> Void
  ) {
    (self.place, self.open, self.close) = (place, open, close)
  }

  /// Returns the store, and opens it if necessary.
  func store() async throws -> Store {
    if let current { return current }
    let store = try await open(place)
    current = store
    return store
  }

  /// Closes the store; the next use opens the place again.
  func reopen() async throws {
    guard let store = current else { return }
    current = nil
    try await close(store)
  }

  /// Closes the store at the end of the check.
  func end() async {
    do {
      try await reopen()
    } catch {
      saw("closing it threw: \(error)")
    }
  }

  func saw(_ text: String) { seen.append(text) }

  // MARK: Steps

  /// Writes a batch of texts in the partition's present generation.
  func write(
    _ puts: KeyValuePairs<String, String>,
    removing removals: [String] = [],
    to partition: StorePartition = .main
  ) async throws {
    let store = try await store()
    let generation = try await store.load(partition).generation
    let puts = puts.map { StoreRecord(key: $0.key, value: Data($0.value.utf8)) }
    let batch = StoreBatch(generation: generation, puts: puts, removals: removals)
    try await store.write(batch, to: partition)
  }

  /// Loads a partition and compares it with the expected contents.
  func expect(
    _ expected: [String: String],
    in partition: StorePartition = .main,
    after step: String
  ) async throws {
    try await compare(try await store().load(partition), expected, in: partition, after: step)
  }

  /// Compares loaded contents with the expected ones.
  func compare(
    _ contents: StoreContents,
    _ expected: [String: String],
    in partition: StorePartition = .main,
    after step: String
  ) async throws {
    let place = partition == .main ? "" : " in the partition \(partition.name.debugDescription)"
    for damage in contents.damage { saw("after \(step), it reported damage: \(damage)") }
    var left = expected
    for record in contents.records {
      let value = String(decoding: record.value, as: UTF8.self)
      let text = "\(Self.short(record.key)) = \(Self.short(value))"
      guard let wanted = left.removeValue(forKey: record.key) else {
        saw("after \(step), there was\(place) \(text) too many")
        continue
      }
      if wanted != value || record.value.count != wanted.utf8.count {
        saw("after \(step), there was\(place) \(text) instead of \(Self.short(wanted))")
      }
    }
    for key in left.keys.sorted() {
      saw("after \(step), there was\(place) no record with the key \(Self.short(key))")
    }
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= 40
      ? text.debugDescription : "\(text.prefix(20).debugDescription)… (\(text.utf8.count) bytes)"
  }
}
