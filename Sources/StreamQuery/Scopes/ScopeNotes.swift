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
    try await store.load(Self.partition).records.map(\.key).filter { $0.hasPrefix(Self.prefix) }
      .map { String($0.dropFirst(Self.prefix.count)) }.sorted()
  }

  /// Whether an account has ended.
  func contains(_ name: String) async throws(QueryStoreError) -> Bool {
    let key = Self.partition(of: name).name
    return try await !store.load([key], of: Self.partition).records.isEmpty
  }

  /// Notes that an account has ended.
  func add(_ name: String) async throws(QueryStoreError) {
    let key = Self.partition(of: name).name
    try await change(key) { $0.puts = [StoreRecord(key: key, value: Data([1]))] }
  }

  /// An account is erased.
  func remove(_ name: String) async throws(QueryStoreError) {
    let key = Self.partition(of: name).name
    try await change(key) { $0.removals = [key] }
  }

  private func change(
    _ key: String,
    _ body: (inout StoreBatch) -> Void
  ) async throws(QueryStoreError) {
    var batch = StoreBatch(
      generation: try await store.load([key], of: Self.partition).generation
    )
    body(&batch)
    try await store.write(batch, to: Self.partition)
  }
}
