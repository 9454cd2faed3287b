internal import StreamQuery

// What bulk calls say of records.
//
// A call costs its caller nothing but a note: whoever writes next applies it to all records, and whoever looks for
// a record before applies it to that one. What is saved after the call is settled after that, too.
//
// Another client of the store may have saved what nobody here knows of. So a removal is also performed on what
// the store has by then: by the keys, if the call names them; otherwise the store is asked.

extension SavedRecords {
  /// Takes note of a bulk call.
  ///
  /// - Parameters:
  ///   - mark: What it says of records.
  ///   - keys: What it says of entries that are not settled yet.
  /// - Returns: What is replaced: users' values, to be released outside of locks.
  mutating func apply(_ mark: Mark, to keys: Set<EntryKey>) -> [Arrival] {
    defer { apply(mark.filter, removes: mark.removes, except: mark.cached) }
    return apply(to: keys, removes: mark.removes)
  }

  /// Removes records, or marks them as invalidated.
  ///
  /// Of a record that may be meant, the data is not lost if nobody can fetch it again. A removal also
  /// concerns what the store has of another client when it is performed.
  ///
  /// - Parameters:
  ///   - filter: Which records.
  ///   - removes: Whether they are removed.
  ///   - cached: The texts of entries that are cached, for which the filter does not decide.
  /// - Complexity: O(*k*) for a filter of *k* keys. Any other filter is remembered, and applied by whoever
  ///   writes next.
  mutating func apply(_ filter: RecordFilter, removes: Bool, except cached: Set<String> = []) {
    let mark = Mark(filter: filter, removes: removes, cached: cached)
    switch phase {
    case .loading: pendingMarks.insert(Mark(filter: filter, removes: removes))
    // What it still has is not known.
    case .closed: hasLost = true
    case .open:
      if let names = filter.exactTexts {
        for name in names {
          apply(mark, to: Self.prefix + name)
          // The store may have it of another client.
          if removes, !cached.contains(name) { unwritten.insert(Self.prefix + name) }
        }
        return
      }
      if removes, sweeps.count < Self.mostCalls || cached.isEmpty { sweeps.insert(mark) }
      if calls.last != mark { calls.append(mark) }
      // Each look for a record asks all of them.
      if calls.count > Self.mostCalls { applyCalls() }
    }
  }

  /// How many bulk calls wait at most until they are applied to all records.
  private static let mostCalls = 64

  /// Applies what bulk calls said to all records.
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

  /// The store is about to be asked what it has, to perform removals on that.
  ///
  /// - Returns: Whether there are any.
  mutating func takeSweeps() -> Bool {
    guard case .open = phase, !sweeps.isEmpty else { return false }
    sweeping.formUnion(sweeps)
    sweeps = []
    return true
  }

  /// The store could not tell what it has: the removals are performed later.
  mutating func sweepFailed() {
    sweeps.formUnion(sweeping)
    sweeping = []
  }

  /// Performs removals on what the store has beyond what is known here.
  mutating func swept(_ contents: StoreContents) {
    let sweeps = sweeping
    sweeping = []
    // Of another generation there is nothing to remove.
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
