/// What became of entries and is not settled yet.
///
/// Values and removals are apart, so that values can be counted and chosen without a look at the removals, of which
/// there may be many more.
struct SavedArrivals: Sendable {
  private(set) var changed: [EntryKey: PersistedEntry] = [:]
  private(set) var removed: Set<EntryKey> = []

  var isEmpty: Bool { changed.isEmpty && removed.isEmpty }

  subscript(key: EntryKey) -> SavedRecords.Arrival? {
    if let entry = changed[key] { return .changed(entry) }
    return removed.contains(key) ? .removed : nil
  }

  /// - Returns: What it replaces: users' values, to be released outside of locks.
  mutating func put(_ arrival: SavedRecords.Arrival, _ key: EntryKey) -> SavedRecords.Arrival? {
    switch arrival {
    case .changed(let entry):
      if let old = changed.updateValue(entry, forKey: key) { return .changed(old) }
      return removed.remove(key).map { _ in .removed }
    case .removed:
      let isKnown = !removed.insert(key).inserted
      if let old = changed.removeValue(forKey: key) { return .changed(old) }
      return isKnown ? .removed : nil
    }
  }

  /// Takes all of them.
  mutating func take() -> [EntryKey: SavedRecords.Arrival] {
    var all = changed.mapValues(SavedRecords.Arrival.changed)
    for key in removed { all[key] = .removed }
    self = Self()
    return all
  }

  /// Drops values beyond a number and a tenth of it, down to the number.
  ///
  /// What is as it began, which the store may have, leaves first and without a trace. The keys of the others are
  /// remembered as removed, since what the store kept before would be wrong.
  ///
  /// - Returns: What is dropped, users' values, to be released outside of locks; and how many values are given up
  ///   with it.
  mutating func bound(to count: Int) -> (dropped: [SavedRecords.Arrival], givenUpCount: Int) {
    guard changed.count - count > count / 10 else { return ([], 0) }
    let firstToLeave = changed.sorted { one, other in
      let (one, other) = (one.value, other.value)
      if one.isAsItBegan != other.isAsItBegan { return one.isAsItBegan }
      if one.hasLifetime != other.hasLifetime { return one.hasLifetime }
      let (date, otherDate) = (
        SavedRecords.Stamp(one).updatedAt, SavedRecords.Stamp(other).updatedAt
      )
      return date == otherDate ? one.id.generation < other.id.generation : date < otherDate
    }
    .dropLast(count)
    let dropped = firstToLeave.compactMap { key, entry in
      entry.isAsItBegan
        ? changed.removeValue(forKey: key).map(SavedRecords.Arrival.changed) : put(.removed, key)
    }
    return (dropped, firstToLeave.count { !$0.value.isAsItBegan })
  }

  /// Forgets a removal.
  ///
  /// - Returns: Whether there was one.
  mutating func forget(_ key: EntryKey) -> Bool { removed.remove(key) != nil }
}
