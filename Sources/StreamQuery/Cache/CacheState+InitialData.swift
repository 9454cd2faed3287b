extension CacheState {
  /// Whether the entry has no data and its query has initial data.
  @inline(__always)
  func wantsInitialData(_ index: Int?, _ query: StoredQuery) -> Bool {
    guard query.initialData != nil else { return false }
    return index.map { !slots[$0].machine.hasData } ?? true
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
    let beginning = slots[index].beginning ?? initialData.beginning(at: now)
    slots[index].beginning = beginning
    transaction.drop(slots[index].data)
    slots[index].data = initialData.box
    input(index, &transaction) {
      $0.initialDataPlaced(updatedAt: beginning.time, isPart: initialData.isPart, in: $1)
    }
    if initialData.isInvalidated {
      input(index, &transaction) { $0.invalidated(isJoining: true, at: now, in: $1) }
      ageMark(index)
    }
  }
}

/// The first data of an entry: a reset restores it with its age, whoever observes the entry by
/// then.
final class Beginning: Sendable {
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
  func beginning(at now: Timestamp) -> Beginning {
    Beginning(source: source, time: updatedAt.map(now.placing(date:)) ?? now)
  }
}
