/// A query with the answers of its closures: made outside the lock, for the state at that time.
struct Resolution {
  /// The query under its defaults.
  let query: StoredQuery
  /// The options, with the answers of closures.
  var options = ResolvedObserverOptions()
  /// The data for an entry without data, if there is any.
  var initialData: InitialData?
  /// Whether the query was asked for ``initialData``: it may have none.
  var isDataKnown = false
  /// The revision of the entry that the options are about; `nil` if they are the same for all.
  var revision: UInt32?
  /// The version of the data in stores; `nil` if no store keeps the query.
  var kept: KeptVersion?

  /// Whether it has to wait for a store.
  var isRestoring: Bool { options.participation == .restoring }
}

/// Data for an entry that has none, already obtained outside the lock.
struct InitialData: Sendable {
  let box: ValueBox
  /// The date when it was current, in seconds since the reference date; `nil` means now.
  let updatedAt: Double?
  /// Whether it was invalidated before it was saved.
  var isInvalidated = false
  /// Whether it is a part of a streamed value.
  var isPart = false
  /// The source of the data.
  let source: StoredInitialData

  /// The beginning of an entry that starts with this data.
  func initialState(at now: Timestamp) -> InitialState {
    InitialState(source: source, time: updatedAt.map(now.placing(date:)) ?? now)
  }
}

/// The first data of an entry: a reset restores it with its age, whoever observes the entry by
/// then.
final class InitialState: Sendable {
  /// The source of the initial data.
  ///
  /// Not the query: the entry would keep the fetch of an observer that by now has another query.
  let source: StoredInitialData
  /// The time at which the data was current.
  let time: Timestamp

  init(source: StoredInitialData, time: Timestamp) {
    self.source = source
    self.time = time
  }
}

/// Tells whether the data in a store may have changed while it was decoded, outside the lock.
struct KeptVersion: Hashable, Sendable {
  /// The number of times that a store was read.
  var reads = 0
  /// The number of removals of kept data.
  var removals = 0
  /// The number of invalidations of kept data.
  var marks = 0
}

extension CacheState {
  /// A resolution as it may be applied now.
  ///
  /// The data of a store may have been removed or invalidated, also by the user's code that decodes it, and
  /// more often than large data can be decoded. So there is a last round, which takes the data as
  /// invalidated, or leaves it in the store.
  ///
  /// - Parameters:
  ///   - resolution: The resolution.
  ///   - index: The entry, if there is one.
  ///   - isLast: Whether changes of the entry, removals and invalidations are no reason to evaluate it again.
  /// - Returns: The resolution; `nil` if it has to be made again.
  func current(_ resolution: Resolution, at index: Int?, isLast: Bool) -> Resolution? {
    guard resolution.isDataKnown || !wantsInitialData(index, resolution.query) else { return nil }
    if let revision = resolution.revision, !isLast,
      index.map({ slots[$0].revision }) ?? 0 != revision
    {
      return nil
    }
    guard let former = resolution.kept, former != kept else { return resolution }
    // Otherwise an observer would begin to wait for what has already happened.
    guard former.reads == kept.reads else { return nil }
    guard resolution.initialData != nil else { return resolution }
    guard isLast else { return nil }
    var current = resolution
    current.initialData?.isInvalidated = true
    if former.removals != kept.removals { current.initialData = nil }
    return current
  }

  /// Whether the entry has no data and its query has initial data.
  @inline(__always)
  func wantsInitialData(_ index: Int?, _ query: StoredQuery) -> Bool {
    guard query.initialData != nil else { return false }
    return index.map { !slots[$0].machine.hasData } ?? true
  }

  /// Puts the data of a store into an entry without data, and makes the entry if there is none.
  ///
  /// - Returns: The data of the entry, or the data that there is no room for, if any.
  mutating func fill(
    _ key: EntryKey,
    from resolution: Resolution,
    _ transaction: inout Transaction
  ) -> ValueBox? {
    guard let initialData = resolution.initialData else { return nil }
    guard !isShutDown else { return initialData.box }
    let known = find(key)
    let index = known ?? entry(key, resolution.query, &transaction)
    // It began with an optimistic change, or with a query that is not kept.
    if known != nil, slots[index].query?.isPersisted != true {
      adopt(index, resolution.query, &transaction)
    }
    placeInitialData(index, initialData, &transaction)
    return box(key) ?? initialData.box
  }

  /// Puts initial data into an empty entry.
  ///
  /// After a reset it is as old as the first data of the entry.
  mutating func placeInitialData(
    _ index: Int,
    _ initialData: InitialData?,
    _ transaction: inout Transaction
  ) {
    guard let initialData, !slots[index].machine.hasData else { return }
    let now = transaction.environment.now
    let initialState = slots[index].initialState ?? initialData.initialState(at: now)
    slots[index].initialState = initialState
    transaction.drop(slots[index].data)
    slots[index].data = initialData.box
    input(index, &transaction) {
      $0.initialDataPlaced(updatedAt: initialState.time, isPart: initialData.isPart, in: $1)
    }
    if initialData.isInvalidated {
      input(index, &transaction) { $0.invalidated(isJoining: true, at: now, in: $1) }
      ageMark(index)
    }
  }
}
