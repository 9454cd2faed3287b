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
  ///   - world: The world at the turn.
  /// - Returns: What to do; `changed` without `cancelled` is set if and only if the part lands.
  package mutating func attemptProgressed(_ id: FetchID, in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.id == id else { return .none }
    guard !current.isOutdated else { return restarted(current, in: world) }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    hasData = true
    dataUpdatedAt = world.now
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
    effects.changed = true
    return effects
  }

  /// Hides the data if the fetch that starts now is to show pending again.
  mutating func shelve(_ current: inout Current, _ effects: inout EntryEffects) {
    guard current.terms.resetsData, hasData else { return }
    current.undo.shelved = Shelved(updatedAt: dataUpdatedAt, updateCount: dataUpdateCount)
    hasData = false
    isError = false
    dataUpdatedAt = .never
    dataUpdateCount = 0
    effects.shelved = true
  }

  /// Other data replaced the data on the shelf.
  mutating func forgetShelved(_ effects: inout EntryEffects) {
    effects.shelved = false
    guard current?.undo.shelved != nil else { return }
    updateCurrent { $0.undo.shelved = nil }
  }

  /// Restores shelved data: the fetch that hid it was cancelled.
  mutating func unshelve(_ current: Current, _ effects: inout EntryEffects) {
    guard let shelved = current.undo.shelved, !hasData else { return }
    isError = current.undo.isError
    hasData = true
    dataUpdatedAt = shelved.updatedAt
    dataUpdateCount = shelved.updateCount
    effects.unshelved = true
  }
}
