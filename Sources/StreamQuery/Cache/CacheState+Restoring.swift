extension CacheState {
  /// The entry, if a fetch for its observers has to wait until a store was read; otherwise `nil`.
  ///
  /// This is so if observers wait for a store and may fetch then, and none is enabled yet.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - scope: Selects the entries by whether they are active; an entry that waits for a store
  ///     counts as active.
  /// - Returns: The entry and its query.
  @inline(__always)
  func restoring(_ index: Int, in scope: RefetchScope = .active) -> RestoringEntry? {
    guard scope == .active || scope == .all else { return nil }
    guard slots[index].isWatched, !slots[index].machine.isActive, !slots[index].machine.isStatic,
      let query = slots[index].query, query.isPersisted,
      slots[index].observers.contains(where: {
        observers[Int($0)].resolvedOptions.participation == .restoring
          && observers[Int($0)].query?.terms.isEnabled != false
      })
    else { return nil }
    return RestoringEntry(id: id(of: index), query: query, since: environment.now.instant)
  }

  mutating func refetch(
    onceRestored entry: RestoringEntry,
    _ cause: FetchCause,
    _ group: WaitGroup?,
    _ transaction: inout Transaction
  ) {
    // The observers may still wait: for another store, or because they stop waiting a moment after the read.
    guard let index = find(entry.id), isBulkRefetched(index) || restoring(index) != nil,
      !slots[index].machine.wasRemoved(after: entry.since)
    else { return }
    refetch(index, cause, superseding: false, group, &transaction)
  }

  /// The persisted entries in use that have no data, because reading the store took longer than
  /// queries wait.
  func emptyPersistedEntries() -> [RestoringObservers] {
    slots.live.lazy.map(Int.init).compactMap { index in
      guard let key = slots[index].key, let query = slots[index].query, query.isPersisted,
        !slots[index].machine.hasData, !slots[index].hasStash, !slots[index].machine.isRemoved,
        !slots[index].observers.contains(where: {
          observers[Int($0)].resolvedOptions.participation == .restoring
        })
      else { return nil }
      return RestoringObservers(key: key, query: query)
    }
  }

  /// The observers that wait for a store, by entry and query.
  func restoringObservers() -> [RestoringObservers] {
    var held: [RestoringObservers] = []
    for index in slots.live.lazy.map(Int.init) where slots[index].isWatched {
      guard let key = slots[index].key else { continue }
      let first = held.count
      for position in slots[index].observers {
        let observer = observers[Int(position)]
        guard observer.resolvedOptions.participation == .restoring, let query = observer.query
        else { continue }
        let id = observers.id(of: Int(position))
        if let place = held[first...].firstIndex(where: { $0.query === query }) {
          held[place].observers.append(id)
        } else {
          held.append(RestoringObservers(key: key, query: query, observers: [id]))
        }
      }
    }
    return held
  }

  /// Puts the data of a store into the cache, and lets the observers that waited request fetches.
  ///
  /// - Parameters:
  ///   - entries: The entries, each with a resolution of its query as for a new observer.
  ///   - isLast: See ``current(_:at:isLast:)``.
  ///   - transaction: The transaction.
  /// - Returns: Whether the data is in the cache; if not, the resolutions have to be made again.
  mutating func arrive(
    _ entries: [RestoringObservers.Resolved],
    isLast: Bool,
    _ transaction: inout Transaction
  ) -> Bool {
    var arrivals: [RestoringObservers.Resolved] = []
    for (waiting, resolution) in entries {
      guard let current = current(resolution, at: find(waiting.key), isLast: isLast) else {
        return false
      }
      arrivals.append((waiting, current))
    }
    for (waiting, resolution) in arrivals {
      guard let index = find(waiting.key) else { continue }
      placeInitialData(index, resolution.initialData, &transaction)
    }
    for (waiting, resolution) in arrivals {
      for id in waiting.observers {
        arrive(id, waiting.query, resolution.options, &transaction)
      }
    }
    return true
  }

  /// Lets an observer that waited for a store request a fetch.
  private mutating func arrive(
    _ id: ObserverID,
    _ held: StoredQuery,
    _ resolvedOptions: ResolvedObserverOptions,
    _ transaction: inout Transaction
  ) {
    guard let observer = find(id), let query = observers[observer].query,
      // The observer's query may have lost a placeholder from another key's data meanwhile, but is otherwise
      // the same query.
      query === held || query === held.plain,
      observers[observer].resolvedOptions.participation == .restoring
    else { return }
    // If the network or the app came back after a removal of the entry, the observer fetches in spite of the
    // removal.
    if hasReturned(to: resolvedOptions, Int(observers[observer].entry)) {
      observers[observer].pollBase = transaction.environment.now.instant
    }
    reobserve(
      observer,
      query: query,
      resolvedOptions: resolvedOptions,
      onSubscribe: resolvedOptions.onSubscribe,
      &transaction
    )
    if !query.conditionalCauses.isEmpty { askOnArrival(observer, transaction) }
  }
}

/// An entry with observers that wait for a store.
struct RestoringEntry: Sendable {
  let id: EntryID
  /// The query; it says how the entry is kept in the store.
  let query: StoredQuery
  /// The time of the call that is to refetch the entry.
  ///
  /// If the entry is removed later, the call does nothing.
  let since: Instant
}

/// The observers of one entry and query that wait for a store.
struct RestoringObservers: Sendable {
  /// Observers, and the resolution that applies to them once the store has been read.
  typealias Resolved = (observers: RestoringObservers, resolution: Resolution)

  let key: EntryKey
  let query: StoredQuery
  var observers: [ObserverID] = []
}
