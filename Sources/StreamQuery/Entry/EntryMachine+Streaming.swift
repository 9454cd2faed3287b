extension EntryMachine {
  /// Data that a fetch hid when it started, to be restored by a cancellation.
  package struct Shelved: Equatable, Sendable {
    package var updatedAt: Timestamp
    package var updateCount: Int
  }

  /// Part of a value arrived, and the fetch continues.
  ///
  /// The part is shown at once and is kept whatever happens to the fetch. So from now on a
  /// cancellation goes back to this part and no further.
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - environment: The world at the transaction.
  /// - Returns: What to do; `changed` without `cancelled` is set if and only if the part lands.
  package mutating func attemptProgressed(
    _ id: FetchID,
    in environment: Environment
  ) -> EntryActions {
    guard case .running(let current) = phase, current.id == id else { return .none }
    guard !current.isOutdated else { return restarted(current, in: environment) }
    var actions = EntryActions()
    catchUp(in: environment, &actions)
    hasData = true
    dataUpdatedAt = environment.now
    dataUpdateCount += 1
    isError = false
    isInvalidated = current.predatesMark
    let here = Undo(
      isError: false,
      isInvalidated: isInvalidated,
      failureCount: 0,
      cause: cause,
      direction: direction
    )
    updateCurrent {
      $0.undo = here
      $0.supersessions = 0
    }
    actions.changed = true
    return actions
  }

  /// Hides the data if the fetch that starts now is to show pending again.
  mutating func stash(_ current: inout Current, _ actions: inout EntryActions) {
    guard current.fetchOptions.resetsData, hasData else { return }
    current.undo.stashed = Shelved(updatedAt: dataUpdatedAt, updateCount: dataUpdateCount)
    hasData = false
    isError = false
    dataUpdatedAt = .never
    dataUpdateCount = 0
    actions.stashed = true
  }

  /// Other data replaced the data on the shelf.
  mutating func forgetStashed(_ actions: inout EntryActions) {
    actions.stashed = false
    guard current?.undo.stashed != nil else { return }
    updateCurrent { $0.undo.stashed = nil }
  }

  /// Restores stashed data: the fetch that hid it was cancelled.
  mutating func unstash(_ current: Current, _ actions: inout EntryActions) {
    guard let stashed = current.undo.stashed, !hasData else { return }
    isError = current.undo.isError
    hasData = true
    dataUpdatedAt = stashed.updatedAt
    dataUpdateCount = stashed.updateCount
    actions.unstashed = true
  }
}
