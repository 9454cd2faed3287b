internal import StreamQuery

// The effects of bulk calls, such as `removeQueries`, on records.
//
// A call is only stored. The next write applies it to all records, and an earlier lookup of a record applies
// it to that record. Changes that come after the call are encoded after it was applied.
//
// Another client of the store may have saved records that this client does not know. So a removal is also
// performed on the store, later. If the call names keys, these are removed there; otherwise the store is read
// again.

extension SavedRecords {
  /// Applies a bulk call to the changes that are not encoded yet, and to the records.
  ///
  /// - Parameters:
  ///   - mark: The call.
  ///   - keys: The keys of the affected entries that have a change which is not encoded yet.
  /// - Returns: The replaced changes with users' values, which the caller releases outside of locks.
  mutating func apply(_ mark: Mark, to keys: Set<EntryKey>) -> [PendingChange] {
    defer { apply(mark.filter, removes: mark.removes, except: mark.cached) }
    return apply(to: keys, removes: mark.removes)
  }

  /// Removes the matching records, or marks them as invalidated.
  ///
  /// If the filter cannot tell whether a record matches, the call applies to the record; but a removal keeps
  /// data that nobody can fetch again. A removal also removes records of other clients that are in the store
  /// when the removal is performed there.
  ///
  /// - Parameters:
  ///   - filter: Selects the records.
  ///   - removes: Whether the records are removed; otherwise they are invalidated.
  ///   - cached: The texts of the keys of cached entries. The cache applies the call to these entries itself,
  ///     so the filter does not decide about their records.
  /// - Complexity: O(*k*) for a filter of *k* keys. Any other filter is stored until the next write.
  mutating func apply(_ filter: RecordFilter, removes: Bool, except cached: Set<String> = []) {
    let mark = Mark(filter: filter, removes: removes, cached: cached)
    switch phase {
    case .loading:
      // An invalidation also applies to the records of cached entries: their data is not restored yet, so the
      // cache has nothing to mark.
      let call = Mark(filter: filter, removes: removes)
      let spared = removes ? cached : []
      pendingMarks[call] = pendingMarks[call]?.intersection(spared) ?? spared
    // The store may have records to which the call applies. They stay now, so the call is reported as lost.
    case .closed(let error): lossReason = error
    case .open:
      if let names = filter.exactTexts {
        for name in names {
          apply(mark, to: Self.prefix + name)
          // Another client may have saved a record with this key.
          if removes, !cached.contains(name) { unwritten.insert(Self.prefix + name) }
        }
        return
      }
      // Calls with one filter become one removal, because they may be repeated for hours while the store
      // cannot be read. The removal spares the records of entries that were cached at each of these calls.
      if removes { sweeps[filter] = sweeps[filter]?.intersection(cached) ?? cached }
      if calls.last != mark { calls.append(mark) }
      // Each lookup of a record visits all stored calls, so there must be few.
      if calls.count > Self.mostCalls { applyCalls() }
    }
  }

  /// The maximum number of stored bulk calls.
  private static let mostCalls = 64

  /// Applies the stored bulk calls to all records.
  ///
  /// - Complexity: O(*n* · *k*) in the numbers of records and calls.
  mutating func applyCalls() {
    guard !calls.isEmpty else { return }
    let calls = calls
    self.calls = []
    for text in Array(records.keys) + Array(evicted.keys) {
      for call in calls { apply(call, to: text) }
    }
  }

  mutating func apply(_ call: Mark, to text: String) {
    guard records[text] != nil || evicted[text] != nil,
      call.concerns(String(text.dropFirst(Self.prefix.count)), hasLifetime: hasLifetime(text))
    else { return }
    if call.removes { remove(text) } else { mark(text, true) }
  }

  /// Takes the removals to perform on the store, which is about to be read for this.
  ///
  /// - Returns: Whether there are any removals.
  mutating func takeSweeps() -> Bool {
    guard case .open = phase, !sweeps.isEmpty else { return false }
    sweeping.merge(sweeps) { $0.intersection($1) }
    sweeps = [:]
    return true
  }

  /// Puts the removals back, because the store could not be read.
  mutating func sweepFailed() {
    // The removals also stay in `sweeping`. So changes still count as held up, and their number stays bounded
    // until the next try.
    sweeps.merge(sweeping) { $0.intersection($1) }
  }

  /// Finds the records in the store's content that the removals match and this client does not know; the next
  /// batch removes them.
  mutating func swept(_ contents: StoreContents) {
    let sweeps = sweeping.map { Mark(filter: $0, removes: true, cached: $1) }
    sweeping = [:]
    // After a wipe the store has another generation, and the records to remove are gone.
    guard case .open(contents.generation) = phase else { return }
    for record in contents.records where record.key.hasPrefix(Self.prefix) {
      guard records[record.key] == nil, evicted[record.key] == nil else { continue }
      let hasLifetime = SavedValue(record.value)?.hasLifetime ?? true
      let name = String(record.key.dropFirst(Self.prefix.count))
      if sweeps.contains(where: { $0.concerns(name, hasLifetime: hasLifetime) }) {
        unwritten.insert(record.key)
      }
    }
  }

  private func hasLifetime(_ text: String) -> Bool {
    (records[text] ?? evicted[text])?.value.hasLifetime ?? true
  }
}
