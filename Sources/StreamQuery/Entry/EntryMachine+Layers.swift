extension EntryMachine {
  /// Something lies over the entry's data: the entry is kept even if nobody wants it.
  package mutating func pinned() {
    isPinned = true
  }

  /// Nothing lies over the entry's data any more.
  ///
  /// - Parameter world: The world at the turn.
  package mutating func unpinned(in world: World) {
    guard isPinned else { return }
    isPinned = false
    if !isWanted { unwantedSince = max(unwantedSince, world.now.moment) }
  }

  /// The truth changed at its source: answers requested before must not land (contract law 7).
  ///
  /// A running attempt continues until it answers or until ``outdatedRestarted(in:)``, because the
  /// code that changed the truth often asks for a refetch at once. A fetch that is waiting is
  /// replaced by a new one.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func outdated(in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    switch phase {
    case .idle: break
    case .running:
      updateCurrent { $0.isOutdated = true }
    case .waiting(let current, until: _), .paused(let current, before: _):
      fetchSerial &+= 1
      let serial = fetchSerial
      updateCurrent { $0.id = FetchID(rawValue: serial) }
      effects.cancelled = current.id
      effects.isBegunAnew = true
    }
    return effects
  }

  /// An outdated fetch is restarted now, not when it answers.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do; nothing if the fetch in flight is not outdated.
  package mutating func outdatedRestarted(in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.isOutdated else { return .none }
    return restarted(current, in: world)
  }

  /// Restarts a fetch, for all callers that wait for it.
  mutating func restarted(_ current: Current, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    effects.cancelled = current.id
    effects.isBegunAnew = true
    begin(
      cause ?? .manual,
      clientLease: current.hasClientLease,
      direction: current.direction,
      undo: current.undo,
      in: world,
      &effects
    )
    // A caller that left the old fetch has left the new one too.
    updateCurrent {
      $0.stopsRetrying = current.stopsRetrying
      $0.lingersUntil = current.lingersUntil
      $0.supersessions = current.supersessions
    }
    return effects
  }

  /// The number of the fetch that started last, whether or not it is still in flight.
  package var newestFetch: UInt32 { fetchSerial }
}
