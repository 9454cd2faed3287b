/// A query with the answers of its closures.
///
/// It is made outside the lock, for the state at that time, so it may be outdated when it is
/// applied.
struct Resolution {
  /// The query, merged with its defaults.
  let query: StoredQuery
  /// The options, with the answers of closures.
  var options = ResolvedObserverOptions()
  /// The data for an entry without data, if there is any.
  var initialData: InitialData?
  /// Whether the query's closure for ``initialData`` was called; it may have returned none.
  var isDataKnown = false
  /// The revision of the entry that the options are about; `nil` if they depend on no entry.
  var revision: UInt32?
  /// The number of changes of the data in stores when the options were determined; `nil` if no
  /// store keeps the query.
  var kept: KeptVersion?

  /// Whether the query has to wait for a store.
  var isRestoring: Bool { options.participation == .restoring }
}

/// Data for an entry that has none, already obtained outside the lock.
struct InitialData: Sendable {
  let box: ValueBox
  /// The date when the data was current, in seconds since the reference date; `nil` means now.
  let updatedAt: Double?
  /// Whether the data was invalidated before it was saved.
  var isInvalidated = false
  /// Whether the data is a part of a streamed value.
  var isPart = false
  /// The source of the data.
  let source: StoredInitialData

  /// The initial state of an entry that starts with this data.
  func initialState(at now: Timestamp) -> InitialState {
    InitialState(source: source, time: updatedAt.map(now.placing(date:)) ?? now)
  }
}

/// The initial data of an entry, and its age.
///
/// A reset restores both, even if other queries observe the entry by then.
final class InitialState: Sendable {
  /// The source of the initial data.
  ///
  /// The query is not kept here, because it would retain the fetch function of an observer that may have
  /// another query by now.
  let source: StoredInitialData
  /// The time at which the data was current.
  let time: Timestamp

  init(source: StoredInitialData, time: Timestamp) {
    self.source = source
    self.time = time
  }
}

/// Counts the changes of the data in stores.
///
/// If a count differs, the data may have changed while it was decoded outside the lock.
struct KeptVersion: Hashable, Sendable {
  /// The number of times that a store was read.
  var reads = 0
  /// The number of removals of data in stores.
  var removals = 0
  /// The number of invalidations of data in stores.
  var marks = 0
}

extension CacheState {
  /// Returns a resolution if it is still up to date.
  ///
  /// Data of a store may be removed or invalidated while it is decoded, even by the user's code that decodes
  /// it, and this may happen again in each round. So the number of rounds is limited. In the last round, data
  /// that was invalidated counts as invalidated, and data that was removed is not used.
  ///
  /// - Parameters:
  ///   - resolution: The resolution.
  ///   - index: The entry, if there is one.
  ///   - isLast: Whether this is the last round: the query is not resolved again because the entry or the
  ///     stored data has changed.
  /// - Returns: The resolution; `nil` if it has to be made again.
  func current(_ resolution: Resolution, at index: Int?, isLast: Bool) -> Resolution? {
    guard resolution.isDataKnown || !wantsInitialData(index, resolution.query) else { return nil }
    if let revision = resolution.revision, !isLast,
      index.map({ slots[$0].revision }) ?? 0 != revision
    {
      return nil
    }
    guard let former = resolution.kept, former != kept else { return resolution }
    // If a store was read meanwhile, an observer must not begin to wait for that store.
    guard former.reads == kept.reads else { return nil }
    guard resolution.initialData != nil else { return resolution }
    guard isLast else { return nil }
    var current = resolution
    current.initialData?.isInvalidated = true
    if former.removals != kept.removals { current.initialData = nil }
    return current
  }

  /// Whether the entry has no data and its query has initial data.
  ///
  /// Data of a persisted query that a refetch hides may also be in a store. It is not restored from there,
  /// because that would show it again.
  @inline(__always)
  func wantsInitialData(_ index: Int?, _ query: StoredQuery) -> Bool {
    guard query.initialData != nil else { return false }
    guard let index else { return true }
    return !slots[index].machine.hasData && !(query.isPersisted && slots[index].hasStash)
  }

  /// Puts the data of a store into an entry without data, and makes the entry if there is none.
  ///
  /// - Returns: The data of the entry, or the store's data if the cache cannot keep it.
  mutating func fill(
    _ key: EntryKey,
    from resolution: Resolution,
    _ transaction: inout Transaction
  ) -> ValueBox? {
    guard let initialData = resolution.initialData else { return nil }
    guard !isShutDown else { return initialData.box }
    let known = find(key)
    let index = known ?? entry(key, resolution.query, &transaction)
    // An optimistic change, or a query that is not persisted, may have made the entry. Then it adopts this
    // query.
    if known != nil, slots[index].query?.isPersisted != true {
      adopt(index, resolution.query, &transaction)
    }
    placeInitialData(index, initialData, &transaction)
    return box(key) ?? initialData.box
  }

  /// Puts initial data into an empty entry.
  ///
  /// After a reset, the data gets the date of the initial data with which the entry began.
  mutating func placeInitialData(
    _ index: Int,
    _ initialData: InitialData?,
    _ transaction: inout Transaction
  ) {
    guard let initialData, !slots[index].machine.hasData else { return }
    let now = transaction.environment.now
    let initialState = slots[index].initialState ?? initialData.initialState(at: now)
    slots[index].initialState = initialState
    transaction.replace(&slots[index].data, by: initialData.box)
    input(index, &transaction) {
      $0.initialDataPlaced(updatedAt: initialState.time, isPart: initialData.isPart, in: $1)
    }
    if initialData.isInvalidated {
      input(index, &transaction) { $0.invalidated(isJoining: true, at: now, in: $1) }
      ageMark(index)
    }
  }
}
