internal import StreamQuery

// The steps that several changes of a ledger share.

extension OutboxLedger {
  /// The rule for earlier versions of a run: items of the same mutation, scope and pacing key.
  enum Pacing: Sendable {
    case all
    /// The run replaces them when its record is written.
    case newest
    /// The run replaces them when it is sent: until then it may be dropped.
    case newestWhenSent
  }

  /// Whether there are items without runs.
  var hasOpenItems: Bool { entries.contains { $0?.status.isOpen ?? false } }

  mutating func setStatus(at index: Int, _ status: ItemStatus) {
    touch(index)
    if case .undecodable(let error) = entries[index]?.status { garbage.collect(value: error) }
    entries[index]?.status = status
  }

  /// Changes the record of an item.
  ///
  /// - Parameters:
  ///   - index: The position of the item.
  ///   - record: The new record.
  ///   - isNew: Whether it is another request, which is not sent before it is written.
  mutating func change(at index: Int, to record: OutboxRecord, isNew: Bool) {
    touch(index)
    entries[index]?.record = record
    entries[index]?.edition += 1
    entries[index]?.failedWith = nil
    if isNew, entries[index]?.stored == .present { entries[index]?.stored = .earlier }
    // The index is taken out of the ledger, so that it is changed in place and not copied.
    if let entry = entries[index], var index = mentions.take() {
      Self.note(entry, in: &index)
      mentions = index
    }
    write(record.id)
  }

  /// Adds items that are in order.
  ///
  /// - Complexity: O(*n*) in the number of all items, and less if the added ones come last.
  mutating func insert(_ added: [Entry]) {
    // The index is taken out of the ledger, so that it is changed in place and not copied.
    if var index = mentions.take() {
      for entry in added { Self.note(entry, in: &index) }
      mentions = index
    }
    guard let first = added.first, let last = entries.last(where: { $0 != nil }) ?? nil,
      last.serial > first.serial
    else {
      for entry in added {
        indices[entry.id] = entries.count
        touch(entries.count)
        entries.append(entry)
      }
      return
    }
    var merged: [Entry?] = []
    merged.reserveCapacity(indices.count + added.count)
    var rest = added[...]
    for entry in all {
      while let next = rest.first, next.serial < entry.serial {
        merged.append(next)
        rest.removeFirst()
      }
      merged.append(entry)
    }
    merged += rest.map(Optional.some)
    entries = merged
    index()
  }

  mutating func compact() {
    // The index also names items that are gone. It is made again at its next use.
    mentions = nil
    entries = all
    index()
  }

  mutating func index() {
    garbage.collect(value: blocks)
    blocks = []
    indices = [:]
    for (index, entry) in entries.enumerated() { if let entry { indices[entry.id] = index } }
  }

  mutating func write(_ id: RunIdentity) {
    guard let entry = self[id] else { return }
    let header = entry.record.header
    unwritten[id] = Draft(key: entry.key, scope: header.scope, revision: header.revision)
  }

  /// Removes items from the open ones of a scope, because they have runs or are gone; runs behind
  /// them may go on.
  mutating func close(_ serials: Set<UInt64>, in scope: String?) {
    guard let scope else { return }
    open[scope]?.removeAll { serials.contains($0) }
    if open[scope]?.isEmpty == true { open[scope] = nil }
    settle(scope)
  }

  /// Releases the runs that wait in a scope, unless an open item or another client is before them.
  mutating func settle(_ scope: String) {
    for id in withheld.removeValue(forKey: scope) ?? [] { settle(id) }
  }

  /// Releases a waiting run, unless an open item or another client is before it.
  mutating func settle(_ id: RunIdentity) {
    guard let entry = self[id], entry.isAwaited, entry.isWritten else { return }
    if entry.pacing == .newest { replaceOlder(than: entry) }
    // The index is looked up after older items were replaced: that may have moved the entries, and released
    // this run, which waited behind them.
    guard let index = indices[id], entries[index]?.isAwaited == true else { return }
    if let scope = entry.record.header.scope, barred.contains(scope) || isBehindOpen(entry, scope) {
      withheld[scope, default: []].append(id)
    } else {
      entries[index]?.isAwaited = false
      released.append(id)
    }
  }

  /// Whether a run waits for open items of its scope.
  ///
  /// It does not wait for those that it replaces.
  private func isBehindOpen(_ entry: Entry, _ scope: String) -> Bool {
    guard let open = open[scope], let first = open.first, first < entry.serial else { return false }
    if entry.pacing == .all { return true }
    let older = Set(openOlder(than: entry).map(\.serial))
    return open.contains { $0 < entry.serial && !older.contains($0) }
  }

  /// The open items of which a run is a newer version.
  private func openOlder(than entry: Entry) -> [Entry] {
    let header = entry.record.header
    guard entry.pacing != .all, let scope = header.scope,
      let first = open[scope]?.first, first < entry.serial
    else { return [] }
    return all.filter { other in
      other.serial < entry.serial && other.status.isOpen && other.record.header.scope == scope
        && other.record.header.lane == header.lane
    }
  }

  /// Removes the open items of which a run is a newer version.
  ///
  /// These have no runs, so nothing else would replace them.
  mutating func replaceOlder(than entry: Entry) {
    for older in openOlder(than: entry) {
      let header = older.record.header
      if header.pacingKey == nil, case .undecodable = older.status { replacedUnread.append(header) }
      if let gone = ended(older.id) { garbage.collect(value: gone) }
    }
  }
}
