#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The notes of a store about accounts that have ended and may not be erased yet.
///
/// They are records of a partition of their own. As long as there is a note, the account is not opened,
/// so that nothing is kept under its name that a later wipe would take.
struct ScopeNotes: Sendable {
  /// Where the notes are.
  static let partition: StorePartition = "scopes"
  /// The beginning of the names of the partitions of accounts.
  private static let prefix = "scope/"

  let store: any QueryStore

  /// The partition of an account.
  static func partition(of name: String) -> StorePartition { StorePartition(prefix + name) }

  /// The accounts that have ended, sorted.
  func names() async throws(QueryStoreError) -> [String] {
    // By bytes: the first character of a name may combine with the last one of the prefix.
    try await store.load(Self.partition).records.map(\.key.utf8)
      .filter { $0.starts(with: Self.prefix.utf8) }
      .map { String(Substring($0.dropFirst(Self.prefix.utf8.count))) }.sorted()
  }

  /// Whether an account has ended.
  func contains(_ name: String) async throws(QueryStoreError) -> Bool {
    try await !load(name).records.isEmpty
  }

  /// Notes that an account has ended.
  func add(_ name: String) async throws(QueryStoreError) {
    var batch = StoreBatch(generation: try await load(name).generation)
    batch.puts = [StoreRecord(key: Self.partition(of: name).name, value: Data([1]))]
    try await store.write(batch, to: Self.partition)
  }

  /// An account is erased.
  func remove(_ name: String) async throws(QueryStoreError) {
    let present = try await load(name)
    // A full store has perhaps taken no note, and would not take its removal.
    guard !present.records.isEmpty else { return }
    let removals = present.records.map(\.key)
    try await store.write(
      StoreBatch(generation: present.generation, removals: removals),
      to: Self.partition
    )
  }

  private func load(_ name: String) async throws(QueryStoreError) -> StoreContents {
    try await store.load([Self.partition(of: name).name], of: Self.partition)
  }
}
