internal import StreamQuery

// The steps that the changes of a ledger have in common.

extension OutboxLedger {
  /// The rule by which a run replaces older items of the same mutation, scope and pacing key.
  enum Pacing: Sendable {
    case all
    /// The run replaces older items when its record is written.
    case newest
    /// The run replaces older items when it is sent, because the run itself may be dropped before that.
    case newestWhenSent
  }

  /// Whether there are items that have no run.
  var hasOpenItems: Bool { entries.contains { $0?.status.isOpen ?? false } }

  mutating func setStatus(at index: Int, _ status: ItemStatus) {
    touch(index)
    if case .undecodable(let error) = entries[index]?.status { garbage.collect(value: error) }
    entries[index]?.status = status
  }

  /// Changes the record of an item, and marks it to be written.
  ///
  /// - Parameters:
  ///   - index: The position of the item.
  ///   - record: The new record.
  ///   - isNew: Whether the record has a new input, which must be written before it is sent; `false` if only
  ///     identifiers in the input were replaced.
  mutating func change(at index: Int, to record: OutboxRecord, isNew: Bool) {
    touch(index)
    entries[index]?.record = record
    entries[index]?.edition += 1
    entries[index]?.failedWith = nil
    if isNew, entries[index]?.stored == .present { entries[index]?.stored = .earlier }
    if isNew { underWay[record.id]?.isOutdated = true }
    if let entry = entries[index] { noteMentions(of: entry) }
    write(record.id)
  }

  /// Adds items that are sorted by their serials.
  ///
  /// - Complexity: O(*n*) in the number of all items, and O(*k*) if the *k* added ones come last.
  mutating func insert(_ added: [Entry]) {
    for entry in added { noteMentions(of: entry) }
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
    // `mentions` also names removed items. It is built again at its next use.
    mentions = nil
    entries = all
    index()
  }

  mutating func index() {
    garbage.collect(value: blocks)
    blocks = []
    for (index, entry) in entries.enumerated() { if let entry { indices[entry.id] = index } }
  }

  /// Marks an item's record to be written or removed.
  ///
  /// If the store is closed, it keeps the record that it has, which counts as a loss.
  mutating func write(_ id: RunIdentity) {
    guard let entry = self[id] else { return }
    if case .closed = phase {
      if entry.stored != .missing { hasLost = true }
      return
    }
    let header = entry.record.header
    var draft = Draft(key: entry.key, scope: header.scope, revision: header.revision)
    draft.strays = unwritten[id]?.strays ?? []
    draft.mayBeStored =
      entry.stored != .missing || unwritten[id]?.mayBeStored == true
      || underWay[id]?.mayBeStored == true
    unwritten[id] = draft
  }

  /// Removes items of a scope from the open ones, because they have got runs or were removed, and releases
  /// runs that waited behind these items.
  mutating func close(_ serials: Set<UInt64>, in scope: String?) {
    guard let scope else { return }
    open[scope]?.removeAll { serials.contains($0) }
    if open[scope]?.isEmpty == true { open[scope] = nil }
    settle(scope)
  }

  /// Releases the runs that wait in a scope, unless an open item or another client comes before them.
  mutating func settle(_ scope: String) {
    for id in withheld.removeValue(forKey: scope) ?? [] { settle(id) }
  }

  /// Releases a waiting run, unless an open item or another client comes before it.
  mutating func settle(_ id: RunIdentity) {
    guard let entry = self[id], entry.isAwaited, entry.isWritten else { return }
    if entry.pacing == .newest { replaceOlder(than: entry) }
    // The index is looked up after older items were replaced: the replacement may have moved the entries, and
    // may have released this run, which waited behind the older items.
    guard let index = indices[id], entries[index]?.isAwaited == true else { return }
    if let scope = entry.record.header.scope, barred.contains(scope) || isBehindOpen(entry, scope) {
      withheld[scope, default: []].append(id)
    } else {
      entries[index]?.isAwaited = false
      released.append(id)
    }
  }

  /// Whether a run waits for an open item of its scope, other than the items that it replaces.
  private func isBehindOpen(_ entry: Entry, _ scope: String) -> Bool {
    guard let open = open[scope], let first = open.first, first < entry.serial else { return false }
    if entry.pacing == .all { return true }
    let older = Set(openOlder(than: entry).map(\.serial))
    return open.contains { $0 < entry.serial && !older.contains($0) }
  }

  /// Returns the items without runs that a run replaces, because the run is a newer version of them.
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

  /// Removes the open items that a run replaces, because the run is a newer version of them.
  ///
  /// Open items have no runs, so the client itself does not replace them.
  mutating func replaceOlder(than entry: Entry) {
    for older in openOlder(than: entry) {
      let header = older.record.header
      if header.pacingKey == nil, case .undecodable = older.status { replacedUnread.append(header) }
      if let gone = ended(older.id) { garbage.collect(value: gone) }
    }
  }
}
