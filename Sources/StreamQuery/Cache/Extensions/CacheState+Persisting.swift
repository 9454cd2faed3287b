// The cache's messages to the persister.

extension CacheState {
  /// Records changes of persisted entries from now on.
  mutating func startPersisting() {
    persisted = PersistedChanges()
    notesChanges = true
  }

  /// Records no more changes of persisted entries.
  mutating func stopPersisting() {
    persisted = nil
    notesChanges = !changeLogs.isEmpty
  }

  /// Whether there are changes to take.
  var hasPersistedChanges: Bool { persisted.map { !$0.isEmpty } ?? false }

  /// Takes changes of persisted entries.
  ///
  /// - Parameter onlyDepartures: Whether changed entries stay.
  /// - Returns: The departures, then entries as they are now; and whether these were all.
  mutating func takePersistedChanges(
    onlyDepartures: Bool = false
  ) -> (
    departures: [PersistedChanges.Departure], entries: [PersistedEntry], isAll: Bool
  ) {
    let limit = onlyDepartures ? 0 : lookLimit
    guard let (departures, changed) = persisted?.take(atMost: limit) else {
      return ([], [], true)
    }
    let now = latest.instant
    let entries = changed.compactMap { find($0).flatMap { persistedEntry($0, at: now) } }
    return (departures, entries, persisted?.isEmpty ?? true)
  }

  private func persistedEntry(_ index: Int, at now: Instant) -> PersistedEntry? {
    // A part is kept once nobody fetches the rest, and is still a part in the next launch.
    guard let query = slots[index].query, query.isPersisted, slots[index].machine.hasData,
      !slots[index].machine.isArriving, let info = info(index, at: now)
    else { return nil }
    return PersistedEntry(id: id(of: index), info: info, query: query)
  }

  /// The key of an entry that is not saved, not even its mark, while it is fetched: the fetch hides its data,
  /// or replaces it in parts.
  ///
  /// - Parameter index: The entry.
  /// - Returns: Its key; `nil` if its changes are saved at any time, or never.
  func keyOfUnsaved(_ index: Int) -> EntryKey? {
    guard persisted != nil, let query = slots[index].query, query.isPersisted,
      query.fetchOptions.showsParts
    else { return nil }
    return slots[index].key
  }

  /// Notes that an entry is about to be dropped or emptied.
  @inline(never)
  mutating func noteDeparture(of index: Int, _ reason: QueryEvent.RemovalReason) {
    guard notesChanges, persisted != nil, let key = slots[index].key,
      slots[index].query?.isPersisted == true
    else { return }
    let id = id(of: index)
    switch reason {
    case .removed, .cleared:
      notePersisted(.removed(key, hadData: slots[index].machine.hasData), of: id)
    case .expired, .evicted:
      if let entry = persistedEntry(index, at: latest.instant) {
        notePersisted(.expired(entry), of: id)
      }
    }
  }

  /// Notes that another query is about to take an entry over.
  ///
  /// The data of a query that is kept is kept, although its successor is not.
  @inline(never)
  mutating func noteTakeover(of index: Int, by query: StoredQuery) {
    let id = id(of: index)
    guard !query.isPersisted, persisted?.changed.contains(id) == true, slots[index].takes(query),
      let entry = persistedEntry(index, at: latest.instant)
    else { return }
    notePersisted(.expired(entry), of: id)
  }

  /// Notes that all entries are about to be removed.
  mutating func noteRemovalOfAll() {
    guard persisted != nil else { return }
    kept.removals += 1
    notePersisted(.removedAll, of: nil)
  }

  private mutating func notePersisted(_ departure: PersistedChanges.Departure, of id: EntryID?) {
    if persisted?.note(departure, of: id) == true { actionQueue.append(.persist) }
  }

  /// Notes that a persisted entry changed.
  mutating func notePersisted(_ id: EntryID) {
    if persisted?.note(id) == true { actionQueue.append(.persist) }
  }
}
