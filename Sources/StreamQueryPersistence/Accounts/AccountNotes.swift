#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The notes of a store about accounts that have ended and may not be erased yet.
///
/// They are records in partitions of their own. While there is a note, the account is not opened, so that a
/// later wipe erases no new records. Each note is written twice: the records of a partition may be one file,
/// and damage in one would open an account that has ended.
struct AccountNotes: Sendable {
  /// The partitions of the notes and of their copies.
  static let partitions: [StorePartition] = ["accounts", "accounts-copy"]
  /// The beginning of the names of accounts' partitions.
  private static let prefix = "account/"

  let store: any QueryStore

  /// The partition of an account.
  static func partition(of name: String) -> StorePartition { StorePartition(prefix + name) }

  /// The accounts that have ended, sorted.
  func names() async throws(QueryStoreError) -> [String] {
    var names: Set<String> = []
    for partition in Self.partitions {
      // By bytes, because the first character of a name may combine with the last one of the
      // prefix.
      let keys = try await store.load(partition).records.map(\.key.utf8)
        .filter { $0.starts(with: Self.prefix.utf8) }
      names.formUnion(keys.map { String(Substring($0.dropFirst(Self.prefix.utf8.count))) })
    }
    return names.sorted()
  }

  /// Whether an account has ended.
  func contains(_ name: String) async throws(QueryStoreError) -> Bool {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      if !present.records.isEmpty { return true }
    }
    return false
  }

  /// Notes that an account has ended.
  func add(_ name: String) async throws(QueryStoreError) {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      guard present.records.isEmpty else { continue }
      var batch = StoreBatch(generation: present.generation)
      batch.puts = [StoreRecord(key: Self.partition(of: name).name, value: Data([1]))]
      try await store.write(batch, to: partition)
    }
  }

  /// Removes the notes of an account that was erased.
  func remove(_ name: String) async throws(QueryStoreError) {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      // A full store may have taken no note, and would refuse its removal.
      guard !present.records.isEmpty else { continue }
      let removals = present.records.map(\.key)
      try await store.write(
        StoreBatch(generation: present.generation, removals: removals),
        to: partition
      )
    }
  }

  private func load(
    _ name: String,
    from partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    try await store.load([Self.partition(of: name).name], of: partition)
  }
}
