extension EntryMachine {
  /// A value was written.
  ///
  /// It counts as a success: it clears error and invalidation and renews retention. A running fetch
  /// may still bring newer server truth, unless the write fences it out.
  ///
  /// - Parameters:
  ///   - updatedAt: When the value was good.
  ///   - fencing: Whether a fetch in flight must not land.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func written(
    updatedAt: Timestamp,
    fencing: Bool,
    in world: World
  ) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    forgetShelved(&effects)
    hasData = true
    isRemoved = false
    dataUpdatedAt = updatedAt
    dataUpdateCount += 1
    isError = false
    isInvalidated = false
    let failures = failureCount
    updateCurrent {
      // A cancellation goes back to the write, not to what the write replaced.
      $0.undo.failureCount = failures
      $0.wasWritten = true
      $0.predatesMark = false
    }
    effects.changed = true
    if let current {
      if fencing {
        effects.cancelled = current.id
        failureCount = 0
        end(.replaced, in: world, &effects)
      }
    } else {
      failureCount = 0
      if !isWanted { unwantedSince = world.now.moment }
    }
    return effects
  }

  /// Initial data was put into an empty entry: real data, but neither a fetch nor a write.
  ///
  /// - Parameters:
  ///   - updatedAt: When the value was good.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func seeded(updatedAt: Timestamp, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    forgetShelved(&effects)
    hasData = true
    isRemoved = false
    isError = false
    isInvalidated = false
    failureCount = isIdle ? 0 : failureCount
    dataUpdatedAt = updatedAt
    effects.changed = true
    return effects
  }

  /// An archive restored data whose newest fetch had failed: the error is shown in addition to it.
  ///
  /// - Parameters:
  ///   - updatedAt: When the fetch failed.
  ///   - world: The world at the turn.
  /// - Returns: What to do; `changed` is set if and only if the error is to be shown. A fetch in
  ///   flight will report its own result.
  package mutating func failureRestored(
    updatedAt: Timestamp,
    in world: World
  ) -> EntryEffects {
    guard isIdle, hasData else { return .none }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    isError = true
    errorUpdatedAt = updatedAt
    errorUpdateCount += 1
    failureCount = 1
    effects.changed = true
    return effects
  }

  /// The entry was invalidated.
  ///
  /// The next success or write clears the mark, and so does a refetch that is already running: a
  /// caller that wants it replaced asks for that in the same turn. But a first fetch cannot be
  /// replaced, and its answer may be older than the mark, so the mark outlives it.
  ///
  /// - Parameters:
  ///   - isJoining: Whether the caller accepts the answer of a running fetch as new enough.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func invalidated(isJoining: Bool = false, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    if !isJoining, !hasData, mayAnswerLate { updateCurrent { $0.predatesMark = true } }
    if !isInvalidated {
      isInvalidated = true
      // Polling restarts, unless a beat is already due and only its timer is late.
      let now = world.now.moment
      let isDue = groups.contains { nextPoll(of: $0, in: world).map { $0 <= now } ?? false }
      if !isDue { beat(at: now) }
      effects.changed = true
    }
    return effects
  }

  /// The entry was removed or reset: it is like new, apart from its observers.
  ///
  /// - Parameters:
  ///   - isRemoved: Whether it was removed, and so stays empty until somebody asks for it.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func cleared(isRemoved: Bool = false, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    if let current {
      effects.cancelled = current.id
      end(.removed, in: world, &effects)
    }
    self.isRemoved = isRemoved
    hasData = false
    isError = false
    isInvalidated = false
    cause = nil
    direction = nil
    dataUpdatedAt = .never
    errorUpdatedAt = .never
    dataUpdateCount = 0
    errorUpdateCount = 0
    failureCount = 0
    beat(at: world.now.moment)
    if !isWanted { unwantedSince = world.now.moment }
    effects.changed = true
    return effects
  }
}
