#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A store's notes about accounts that have ended, but may not be erased yet.
///
/// The notes are records in partitions of their own. An account with a note is not opened, so that a later
/// wipe erases no new records. Each note is written to two partitions, which may be two files: if one file is
/// damaged, the other one still keeps the ended account from being opened with its former data.
struct AccountNotes: Sendable {
  /// The two partitions, each with all notes.
  static let partitions: [StorePartition] = ["accounts", "accounts-copy"]
  /// The prefix of the partition names of accounts.
  private static let prefix = "account/"

  let store: any QueryStore

  /// The partition of an account.
  static func partition(of name: String) -> StorePartition { StorePartition(prefix + name) }

  /// Returns the names of the accounts that have a note, sorted.
  func names() async throws(QueryStoreError) -> [String] {
    var names: Set<String> = []
    for partition in Self.partitions {
      // The comparison is by bytes, because the first character of a name may combine with the last one of
      // the prefix.
      let keys = try await store.load(partition).records.map(\.key.utf8)
        .filter { $0.starts(with: Self.prefix.utf8) }
      names.formUnion(keys.map { String(Substring($0.dropFirst(Self.prefix.utf8.count))) })
    }
    return names.sorted()
  }

  /// Returns whether an account has a note.
  func contains(_ name: String) async throws(QueryStoreError) -> Bool {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      if !present.records.isEmpty { return true }
    }
    return false
  }

  /// Writes a note that an account has ended, in both partitions.
  func add(_ name: String) async throws(QueryStoreError) {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      guard present.records.isEmpty else { continue }
      var batch = StoreBatch(generation: present.generation)
      batch.puts = [StoreRecord(key: Self.partition(of: name).name, value: Data([1]))]
      try await store.write(batch, to: partition)
    }
  }

  /// Removes the notes of an account.
  func remove(_ name: String) async throws(QueryStoreError) {
    for partition in Self.partitions {
      let present = try await load(name, from: partition)
      // A full store may have refused the note, and would refuse its removal, too.
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
