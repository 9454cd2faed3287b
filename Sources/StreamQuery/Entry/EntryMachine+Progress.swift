extension EntryMachine {
  /// Part of a value arrived, and the fetch continues.
  ///
  /// The part is shown at once and is kept whatever happens to the fetch. So from now on a
  /// cancellation goes back to this part and no further.
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - environment: The environment at the transaction.
  /// - Returns: What becomes of the part.
  package mutating func attemptProgressed(
    _ id: FetchID,
    in environment: Environment
  ) -> AttemptOutcome {
    guard var current = running(id) else { return .late }
    guard !current.isOutdated else { return .restarted(restart(current, in: environment)) }
    var actions = catchUp(in: environment)
    hasData = true
    dataUpdatedAt = environment.now
    dataUpdateCount += 1
    isError = false
    landed(current, isAdded: false, nil, at: environment.now.instant)
    current.undo = InFlight.Undo(
      isError: false,
      failureCount: 0,
      cause: cause,
      part: part
    )
    current.supersessions = 0
    current.hasProgressed = true
    fetch = current
    actions.changed = true
    return .landed(actions)
  }

  /// Hides the data if the fetch that starts now is to show pending again.
  mutating func stash(_ current: inout InFlight, _ actions: inout EntryActions) {
    guard current.fetchOptions.resetsData, hasData else { return }
    current.undo.stashed = InFlight.Stashed(updatedAt: dataUpdatedAt, updateCount: dataUpdateCount)
    hasData = false
    isError = false
    dataUpdatedAt = .never
    dataUpdateCount = 0
    actions.stashed = true
  }

  /// Other data replaced the stashed data.
  mutating func forgetStashed(_ actions: inout EntryActions) {
    actions.stashed = false
    if !isIdle, fetch?.undo.stashed != nil { fetch?.undo.stashed = nil }
  }

  /// Restores stashed data: the fetch that hid it was cancelled.
  mutating func unstash(_ current: InFlight, _ actions: inout EntryActions) {
    guard let stashed = current.undo.stashed, !hasData else { return }
    isError = current.undo.isError
    hasData = true
    dataUpdatedAt = stashed.updatedAt
    dataUpdateCount = stashed.updateCount
    actions.unstashed = true
  }
}
