// Lists of changed entries: for searches that release the lock between their parts, and for the persister.

extension CacheState {
  /// Begins to record the entries that change, for a search.
  ///
  /// - Returns: The number of the list of changes.
  mutating func startLogging() -> Int {
    extensions.searchSerial += 1
    extensions.changeLogs.append(ChangeLog(id: extensions.searchSerial))
    extensions.active.insert(.searches)
    return extensions.searchSerial
  }

  /// Takes the entries that changed since the last call.
  mutating func takeChanges(_ log: Int) -> [EntryID] {
    var changes: [EntryID] = []
    if let position = extensions.changeLogs.firstIndex(where: { $0.id == log }) {
      swap(&changes, &extensions.changeLogs[position].changes)
    }
    return changes
  }

  mutating func stopLogging(_ log: Int) {
    extensions.changeLogs.removeAll { $0.id == log }
    if extensions.changeLogs.isEmpty { extensions.active.remove(.searches) }
  }

  /// Tells running searches, and the persister, that an entry was added, changed or is about to be removed.
  mutating func logChange(of index: Int) {
    let id = id(of: index)
    for position in extensions.changeLogs.indices
    where extensions.changeLogs[position].changes.last != id {
      extensions.changeLogs[position].changes.append(id)
    }
    guard slots[index].query?.isPersisted == true else { return }
    if extensions.persisted?.entryChanged(id) == true { actionQueue.enqueue(.persist) }
  }

  /// Records that all entries move or are removed.
  mutating func logChangeOfAll() {
    guard !extensions.changeLogs.isEmpty else { return }
    let all = slots.indices.filter { slots[$0].key != nil }.map { id(of: $0) }
    for position in extensions.changeLogs.indices {
      extensions.changeLogs[position].changes.append(contentsOf: all)
    }
  }

  // MARK: Persisted changes

  /// Begins to record changes of persisted entries, unless this is done already or the client has ended.
  mutating func startPersisting() {
    guard extensions.persisted == nil, !isShutDown else { return }
    extensions.persisted = PersistedChanges()
    extensions.active.insert(.persisted)
  }

  /// Records no more changes of persisted entries.
  mutating func stopPersisting() {
    extensions.persisted = nil
    extensions.active.remove(.persisted)
  }

  /// Whether there are changes of persisted entries that the persister has not taken.
  var hasPersistedChanges: Bool { extensions.persisted.map { !$0.isEmpty } ?? false }

  /// The number of changes of persisted entries so far.
  var persistedNoteCount: UInt64 { extensions.persisted?.noteCount ?? 0 }

  /// Takes changes of persisted entries.
  ///
  /// - Parameter onlyRemovals: Whether only removals are taken, and no changed entries.
  /// - Returns: The removals, then entries as they are now; and whether these were all.
  mutating func takePersistedChanges(
    onlyRemovals: Bool = false
  ) -> (
    removals: [PersistedChanges.Removal], entries: [PersistedEntry], isAll: Bool
  ) {
    let limit = onlyRemovals ? 0 : bounds.lookLimit
    guard let (removals, changed) = extensions.persisted?.takeChanges(atMost: limit) else {
      return ([], [], true)
    }
    let now = environment.now.instant
    let entries = changed.compactMap { find($0).flatMap { persistedEntry($0, at: now) } }
    return (removals, entries, extensions.persisted?.isEmpty ?? true)
  }

  private func persistedEntry(_ index: Int, at now: Instant) -> PersistedEntry? {
    guard let query = slots[index].query, query.isPersisted else { return nil }
    // While a fetch adds parts to a streamed value, the value is not saved. If the fetch ends early, the part
    // is saved, and later restored as a part.
    let isSaved = slots[index].machine.hasData && !slots[index].machine.isArriving
    let present = isSaved ? info(index, at: now) : infoOfHidden(index, at: now)
    return present.map { PersistedEntry(id: id(of: index), info: $0, query: query) }
  }

  /// The info of an entry as if the fetch that hides its data were cancelled; `nil` if no data is hidden.
  ///
  /// If the fetch brings nothing, the hidden data is still the newest, so the persister saves it.
  private func infoOfHidden(_ index: Int, at now: Instant) -> QueryInfo? {
    guard slots[index].hasStash else { return nil }
    var slot = slots[index]
    _ = slot.machine.cancelRequested(in: environment)
    slot.data = slot.stashed
    return slot.info(slot.bareSnapshot, at: now)
  }

  /// The key of a persisted entry whose query may show parts of its value; otherwise `nil`.
  ///
  /// While a fetch adds parts, no change of the entry is saved, so the persister gets invalidations by this
  /// key.
  func keyOfUnsaved(_ index: Int) -> EntryKey? {
    guard extensions.active.contains(.persisted), let query = slots[index].query, query.isPersisted,
      query.fetchOptions.showsParts
    else { return nil }
    return slots[index].key
  }

  /// Records for the persister that an entry is about to be dropped or emptied.
  mutating func noteRemoval(of index: Int, _ reason: QueryEvent.RemovalReason) {
    guard extensions.active.contains(.persisted), let key = slots[index].key,
      slots[index].query?.isPersisted == true
    else { return }
    let id = id(of: index)
    switch reason {
    case .removed, .cleared:
      let hadData = slots[index].machine.hasData || slots[index].hasStash
      notePersisted(.removed(key, hadData: hadData), of: id)
    case .expired, .evicted:
      if let entry = persistedEntry(index, at: environment.now.instant) {
        notePersisted(.expired(entry), of: id)
      }
    }
  }

  /// Records for the persister that another query is about to take an entry over.
  ///
  /// The last change of the former query's data is still saved, even if the data of the new query is not.
  mutating func noteTakeover(of index: Int, by query: StoredQuery) {
    let id = id(of: index)
    guard !query.isPersisted, extensions.persisted?.changed.contains(id) == true,
      slots[index].takes(query),
      let entry = persistedEntry(index, at: environment.now.instant)
    else { return }
    notePersisted(.expired(entry), of: id)
  }

  /// Records for the persister that all entries are about to be removed.
  mutating func noteRemovalOfAll() {
    guard extensions.active.contains(.persisted) else { return }
    kept.removals += 1
    notePersisted(.removedAll, of: nil)
  }

  private mutating func notePersisted(_ removal: PersistedChanges.Removal, of id: EntryID?) {
    if extensions.persisted?.entryLeft(removal, of: id) == true { actionQueue.enqueue(.persist) }
  }
}

/// The entries that were added, changed or removed since a search began.
struct ChangeLog: Sendable {
  let id: Int
  var changes: [EntryID] = []
}
