internal import StreamQuery

// The batches for the store, and the replacement of identifiers in the records.

extension OutboxLedger {
  /// Takes the next batch for the store; `nil` if there is nothing to write, or while a batch is being
  /// written.
  mutating func takeBatch() -> StoreBatch? {
    guard case .open(let generation) = phase, underWay.isEmpty, !unwritten.isEmpty else {
      return nil
    }
    swap(&underWay, &unwritten)
    var batch = StoreBatch(generation: generation)
    for (id, draft) in underWay.sorted(by: { $0.value.key < $1.value.key }) {
      if let entry = self[id] {
        batch.puts.append(StoreRecord(key: draft.key, value: entry.record.data))
        underWay[id]?.mayBeStored = true
      } else {
        batch.removals.append(draft.key)
      }
      batch.removals += draft.strays
    }
    return batch
  }

  /// Notes that the present batch was written.
  ///
  /// - Returns: The items of the batch.
  mutating func written() -> [RunIdentity] {
    hasFailed = false
    let drafts = underWay.sorted { $0.value.key < $1.value.key }
    underWay = [:]
    for (id, draft) in drafts {
      guard let index = indices[id] else { continue }
      let isPresent =
        entries[index]?.record.header.revision == draft.revision && !draft.isOutdated
      entries[index]?.stored = isPresent ? .present : .earlier
      if isPresent { settle(id) }
    }
    return drafts.map(\.key)
  }

  /// Puts the present batch back, because it was not written; the next batch has its changes.
  mutating func failed() {
    hasFailed = true
    unwritten.merge(underWay) { newer, older in
      var draft = newer
      draft.strays += older.strays
      draft.mayBeStored = newer.mayBeStored || older.mayBeStored
      return draft
    }
    underWay = [:]
  }

  /// Ends the use of a store that has failed for good.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - barred: The scopes in which other outboxes are still sending or writing.
  /// - Returns: The runs that fail, because the present form of their input was never written.
  mutating func close(_ error: QueryStoreError, barred: Set<String> = []) -> [RunIdentity] {
    phase = .closed(error)
    // Records that other outboxes have left cannot be read any more, so no run waits for them.
    bar(barred)
    hasFailed = false
    if lacksChanges { hasLost = true }
    unwritten = [:]
    underWay = [:]
    return all.filter { $0.isAwaited && !$0.isWritten }.map(\.id)
  }

  /// Whether the store has a record that is to be removed, or one with an earlier input.
  ///
  /// A run without a record fails with an error, so its changes do not count.
  private var lacksChanges: Bool {
    for (id, draft) in [unwritten, underWay].joined() {
      if let entry = self[id] {
        if entry.stored != .missing { return true }
      } else if draft.mayBeStored || !draft.strays.isEmpty {
        return true
      }
    }
    return false
  }

  /// Whether the store has a revision of an item, or has removed the item's record.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - revision: The revision that the store must have, or a later one; `nil` if the record must be
  ///     removed.
  /// - Returns: Whether callers can go on; also `true` if the store cannot be used any more.
  func isSettled(_ id: RunIdentity, _ revision: UInt64?) -> Bool {
    if case .closed = phase { return true }
    guard let entry = self[id] else {
      return unwritten[id] == nil && underWay[id] == nil
    }
    return revision.map { entry.record.header.revision >= $0 && entry.isWritten } ?? false
  }

  // MARK: Replacing texts

  /// Returns the items whose inputs may contain one of some strings, and removes these strings from the
  /// index.
  ///
  /// Other strings may have the same hash.
  ///
  /// - Complexity: O(*n*) in the size of all inputs at the first call, which builds the index.
  mutating func mentioning(_ texts: some Sequence<String>) -> [Entry] {
    if mentions == nil {
      mentions = [:]
      for entry in all { noteMentions(of: entry) }
    }
    var found: Set<RunIdentity> = []
    for text in texts { found.formUnion(mentions?.removeValue(forKey: text.hashValue) ?? []) }
    return found.compactMap { self[$0] }.sorted { $0.serial < $1.serial }
  }

  /// Adds strings to the index again for items in which they could not be replaced.
  mutating func restoreMentions(of texts: some Sequence<String>, in items: [RunIdentity]) {
    for entry in items.compactMap({ self[$0] }) {
      for text in IdentifierText.texts(in: entry.record.input).intersection(texts) {
        mentions?[text.hashValue, default: []].append(entry.id)
      }
    }
  }

  /// Adds the texts of an item to the index, if there is one.
  mutating func noteMentions(of entry: Entry) {
    if mentions == nil { return }
    for text in IdentifierText.texts(in: entry.record.input) {
      mentions?[text.hashValue, default: []].append(entry.id)
    }
  }

  /// Takes an item's record with replaced identifiers, unless the item was given another input meanwhile.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - edition: The edition of the record in which the identifiers were replaced; `nil` for the present
  ///     one.
  /// - Returns: `false` if other identifiers were replaced meanwhile, so that the caller has to try again.
  @discardableResult
  mutating func rewrote(_ record: OutboxRecord, from edition: Int? = nil) -> Bool {
    guard let index = indices[record.id], let entry = entries[index],
      entry.record.header.revision == record.header.revision
    else { return true }
    if let edition, edition != entry.edition { return false }
    change(at: index, to: record, isNew: false)
    version += 1
    return true
  }

  /// Takes the new record of an open item, after a change of its input.
  ///
  /// - Returns: Whether the item is still open, and its input was not changed again meanwhile.
  mutating func replaced(_ record: OutboxRecord) -> Bool {
    guard let index = indices[record.id], let entry = entries[index], entry.status.isOpen,
      entry.record.header.revision + 1 == record.header.revision
    else { return false }
    change(at: index, to: record, isNew: true)
    version += 1
    return true
  }
}
