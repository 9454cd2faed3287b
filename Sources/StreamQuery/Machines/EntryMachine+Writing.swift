extension EntryMachine {
  /// Makes a written value the data; the write counts as a success.
  ///
  /// The write clears error and invalidation, and renews retention. A running fetch may still bring newer
  /// data, unless `fencing` is set. If the fetch began before an invalidation, the data is marked as
  /// invalidated again when the fetch answers. A deferred fetch begins now, because it waited only while
  /// there was no data. A part stays a part while the rest arrives.
  ///
  /// - Parameters:
  ///   - writer: The source of the write.
  ///   - updatedAt: The date of the value.
  ///   - isPart: Whether the value is a part of a streamed one, from an archive.
  ///   - fencing: Whether the write discards a fetch in flight.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func written(
    by writer: InFlight.Writer = .caller,
    updatedAt: Timestamp,
    isPart: Bool = false,
    fencing: Bool,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    forgetStashed()
    if isPart {
      extent = .part
    } else if extent != .part || isIdle || fencing {
      // The data stays a part only if its stream goes on: the stream adds its next elements to the written
      // value.
      extent = .whole
    }
    dataUpdatedAt = updatedAt
    dataUpdateCount += 1
    isError = false
    pollFailureCount = 0
    mark = .none(toldUntil: environment.now.instant)
    actions.changed = true
    guard !isIdle, var current = fetch else {
      failureCount = 0
      if !isWanted { unwantedSince = environment.now.instant }
      return actions
    }
    if fencing {
      actions.cancelled = .gone(current.id)
      failureCount = 0
      endFetch(.replaced, in: environment, &actions)
    } else {
      // A cancellation of the fetch restores the state after this write; the write is a success.
      current.undo.failureCount = 0
      current.attempt.wasWritten = true
      current.writer = writer
      fetch = current
      resumeDeferred(in: environment, &actions)
    }
    return actions
  }

  /// Fills an empty entry with initial data; this counts neither as a fetch nor as a write.
  ///
  /// A deferred fetch begins now, because it waited only while there was no data.
  ///
  /// - Parameters:
  ///   - updatedAt: The date of the value.
  ///   - isPart: Whether the value is a part of a streamed one, from a store.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func initialDataPlaced(
    updatedAt: Timestamp,
    isPart: Bool = false,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    forgetStashed()
    extent = isPart ? .part : .whole
    isError = false
    let now = environment.now.instant
    // Data from before the last invalidation stays invalidated, unless the data's date is now.
    if updatedAt.instant >= now || !isOutdated(from: updatedAt) { mark = .none(toldUntil: now) }
    failureCount = isIdle ? 0 : failureCount
    dataUpdatedAt = updatedAt
    actions.changed = true
    if isDeferred { resumeDeferred(in: environment, &actions) }
    return actions
  }

  /// Shows an error beside data that an archive restored, because the newest fetch of that data had failed.
  ///
  /// - Parameters:
  ///   - updatedAt: The time when the fetch failed.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions; `changed` is set if the error is shown. During a fetch it is not, because the
  ///   fetch reports its own result.
  package mutating func failureRestored(
    updatedAt: Timestamp,
    in environment: Environment
  ) -> EntryActions {
    guard isIdle, hasData else { return .none }
    var actions = catchUp(in: environment)
    isError = true
    errorUpdatedAt = updatedAt
    errorUpdateCount += 1
    failureCount = 1
    actions.changed = true
    return actions
  }

  /// Marks the data as invalidated.
  ///
  /// A write clears the mark, and so does the answer of an attempt that begins from now on. The answer of a
  /// running attempt becomes the data and stays marked, unless the call accepts that answer.
  ///
  /// - Parameters:
  ///   - isJoining: Whether the answer of a running fetch counts as new enough.
  ///   - isDoubt: Whether the call accepts running fetches (`superseding: false`), as a call for a cache that
  ///     is shared with other machines does.
  ///   - time: The time of the invalidation, if it was before the data came into the cache; `nil` is now.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func invalidated(
    isJoining: Bool = false,
    isDoubt: Bool = false,
    at time: Timestamp? = nil,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    // A fetch can be accepted only if it is running, or continues the progress of an earlier attempt.
    let accepts = isJoining && !isIdle && fetch?.hasBegunAnswer == true
    if !isIdle { fetchWasOvertaken(isJoining: isJoining) }
    let (wasInvalidated, now) = (isInvalidated, environment.now.instant)
    let latest = time?.instant ?? (accepts ? .distantPast : now)
    let last = max(latest, invalidatedAt ?? latest)
    mark = isDoubt && supersededAt == nil ? .doubted(at: last) : .invalidated(at: last)
    if !wasInvalidated {
      // The interval of polling starts again, unless a poll is already due and only its timer is late. In a
      // removed entry, `lastTick` stays the time of the removal, which ``wasRemoved(after:)`` needs.
      let isDue = groups.contains { nextPoll(of: $0, in: environment).map { $0 <= now } ?? false }
      if !isDue, !isRemoved { tick(at: now) }
      actions.changed = true
    }
    return actions
  }

  /// Records that the entry was invalidated during the fetch in flight.
  // This is not inlined, because most entries of a bulk call have no fetch.
  @inline(never)
  private mutating func fetchWasOvertaken(isJoining: Bool) {
    if !isJoining, fetch?.hasBegunAnswer == true { fetch?.predatesMark = true }
    if fetch?.stage == .running, fetch?.attempt.standing == .current {
      fetch?.attempt.standing = .overtaken
    }
  }

  /// Makes the entry like new, apart from its observers, because it was removed or reset.
  ///
  /// - Parameters:
  ///   - isRemoved: Whether it was removed, and so stays empty until a fetch is requested.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func cleared(
    isRemoved: Bool = false,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    if let current = fetch {
      actions.cancelled = .gone(current.id)
      endFetch(.removed, in: environment, &actions)
    }
    extent = isRemoved ? .removed : .nothing
    isError = false
    mark = .none(toldUntil: environment.now.instant)
    cause = nil
    part = .whole
    dataUpdatedAt = .never
    errorUpdatedAt = .never
    dataUpdateCount = 0
    errorUpdateCount = 0
    failureCount = 0
    pollFailureCount = 0
    tick(at: environment.now.instant)
    if !isWanted { unwantedSince = environment.now.instant }
    actions.changed = true
    return actions
  }
}
