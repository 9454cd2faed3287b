internal import StreamQuery

// The effects of bulk calls on records.
//
// A call only notes its effect. The next write applies the note to all records, and an earlier lookup of a
// record applies it to that one. Changes that come after the call are encoded after the note is applied.
//
// Another client of the store may have saved records that this client does not know. So a removal is also
// performed on the store, later. If the call names its keys, they are removed there; otherwise the store is
// read again.

extension SavedRecords {
  /// Notes a bulk call.
  ///
  /// - Parameters:
  ///   - mark: The effect on records.
  ///   - keys: The affected entries whose changes are not encoded yet.
  /// - Returns: The replaced changes: users' values, to be released outside of locks.
  mutating func apply(_ mark: Mark, to keys: Set<EntryKey>) -> [PendingChange] {
    defer { apply(mark.filter, removes: mark.removes, except: mark.cached) }
    return apply(to: keys, removes: mark.removes)
  }

  /// Removes records, or marks them as invalidated.
  ///
  /// The data of a record that may match is not lost if nobody can fetch it again. A removal also concerns
  /// records of another client that are in the store when it is performed.
  ///
  /// - Parameters:
  ///   - filter: Selects the records.
  ///   - removes: Whether they are removed.
  ///   - cached: The texts of entries that are cached. The cache has applied the call to them, so
  ///     the filter does not decide about them.
  /// - Complexity: O(*k*) for a filter of *k* keys. Any other filter is noted, and applied by the next write.
  mutating func apply(_ filter: RecordFilter, removes: Bool, except cached: Set<String> = []) {
    let mark = Mark(filter: filter, removes: removes, cached: cached)
    switch phase {
    case .loading: pendingMarks.insert(Mark(filter: filter, removes: removes))
    // The store may have other records, which stay although the call concerns them.
    case .closed(let error): lossReason = error
    case .open:
      if let names = filter.exactTexts {
        for name in names {
          apply(mark, to: Self.prefix + name)
          // Another client may have saved a record of this name.
          if removes, !cached.contains(name) { unwritten.insert(Self.prefix + name) }
        }
        return
      }
      if removes, sweeps.count < Self.mostCalls || cached.isEmpty { sweeps.insert(mark) }
      if calls.last != mark { calls.append(mark) }
      // Each lookup of a record visits all waiting calls, so there must be few.
      if calls.count > Self.mostCalls { applyCalls() }
    }
  }

  /// The maximum number of bulk calls that wait before they are applied to all records.
  private static let mostCalls = 64

  /// Applies the waiting bulk calls to all records.
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

  /// The content of the store is about to be read, to perform removals on it.
  ///
  /// - Returns: Whether there are any.
  mutating func takeSweeps() -> Bool {
    guard case .open = phase, !sweeps.isEmpty else { return false }
    sweeping.formUnion(sweeps)
    sweeps = []
    return true
  }

  /// The content could not be read: the removals are performed later.
  mutating func sweepFailed() {
    sweeps.formUnion(sweeping)
    sweeping = []
  }

  /// Performs removals on records of the store that this client does not know.
  mutating func swept(_ contents: StoreContents) {
    let sweeps = sweeping
    sweeping = []
    // A wipe began another generation: the records to remove are gone.
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
