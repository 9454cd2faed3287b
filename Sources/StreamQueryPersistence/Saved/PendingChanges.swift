internal import StreamQuery

/// The changes of entries that are not encoded as records yet.
///
/// Values and removals are separate, so that values can be counted and chosen without visiting the removals,
/// which may be many more.
struct PendingChanges: Sendable {
  private(set) var changed: [EntryKey: PersistedEntry] = [:]
  private(set) var removed: Set<EntryKey> = []
  /// The keys of values that replaced a removal.
  ///
  /// If such a value is not saved, the former record is removed nevertheless.
  private(set) var removedBefore: Set<EntryKey> = []

  var isEmpty: Bool { changed.isEmpty && removed.isEmpty }

  var count: Int { changed.count + removed.count }

  subscript(key: EntryKey) -> SavedRecords.PendingChange? {
    if let entry = changed[key] { return .changed(entry) }
    return removed.contains(key) ? .removed : nil
  }

  /// Adds a change of a key.
  ///
  /// - Returns: The replaced change with the user's value, which the caller releases outside of locks.
  mutating func put(
    _ change: SavedRecords.PendingChange,
    _ key: EntryKey
  ) -> SavedRecords.PendingChange? {
    switch change {
    case .changed(let entry):
      if let old = changed.updateValue(entry, forKey: key) { return .changed(old) }
      guard removed.remove(key) != nil else { return nil }
      removedBefore.insert(key)
      return .removed
    case .removed:
      removedBefore.remove(key)
      let isKnown = !removed.insert(key).inserted
      if let old = changed.removeValue(forKey: key) { return .changed(old) }
      return isKnown ? .removed : nil
    }
  }

  /// Removes and returns all changes.
  mutating func take() -> [EntryKey: SavedRecords.PendingChange] {
    var all = changed.mapValues(SavedRecords.PendingChange.changed)
    for key in removed { all[key] = .removed }
    self = Self()
    return all
  }

  /// If the number of values exceeds the limit by more than a tenth, drops values down to the limit.
  ///
  /// Restored and initial values are dropped first, and the store stays as it is, because it may have them.
  /// Any other dropped value is replaced by a removal of its key, because the store may have former data,
  /// which is wrong now.
  ///
  /// - Returns: The dropped changes with users' values, which the caller releases outside of locks; and the
  ///   number of dropped values that the store does not have.
  mutating func bound(to count: Int) -> (dropped: [SavedRecords.PendingChange], givenUpCount: Int) {
    guard changed.count - count > count / 10 else { return ([], 0) }
    let firstToLeave = changed.map { Leaving($0.key, $0.value) }.sorted().dropLast(count)
    let dropped = firstToLeave.compactMap { leaving in
      leaving.rank == .untouched
        ? changed.removeValue(forKey: leaving.key).map(SavedRecords.PendingChange.changed)
        : put(.removed, leaving.key)
    }
    return (dropped, firstToLeave.count { $0.rank != .untouched })
  }

  /// A value that may be dropped, with its rank.
  ///
  /// Sorting compares ranks often, so each is determined once.
  private struct Leaving: Comparable {
    enum Rank: Int { case untouched, limited, unlimited }

    let key: EntryKey
    let rank: Rank
    private let date: Double
    private let number: UInt64

    init(_ key: EntryKey, _ entry: PersistedEntry) {
      self.key = key
      rank = entry.isUntouched ? .untouched : entry.hasLifetime ? .limited : .unlimited
      date = SavedRecords.Stamp(entry).updatedAt
      number = entry.number
    }

    static func < (one: Self, other: Self) -> Bool {
      (one.rank.rawValue, one.date, one.number) < (other.rank.rawValue, other.date, other.number)
    }
  }

  /// Drops the unwritten removal of a key.
  ///
  /// - Returns: Whether there was a removal.
  mutating func forgetRemoval(_ key: EntryKey) -> Bool { removed.remove(key) != nil }
}
