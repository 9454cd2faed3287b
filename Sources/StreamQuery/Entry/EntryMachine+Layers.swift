extension EntryMachine {
  /// Something is laid over the entry's data: it is kept although nobody wants it.
  package mutating func pinned() {
    isPinned = true
  }

  /// Nothing is laid over the entry's data any more.
  ///
  /// - Parameter world: The world at the turn.
  package mutating func unpinned(in world: World) {
    guard isPinned else { return }
    isPinned = false
    if !isWanted { unwantedSince = max(unwantedSince, world.now.moment) }
  }

  /// The truth changed where it comes from: an answer that was asked for before must not land
  /// (contract law 7).
  ///
  /// A fetch whose attempt runs goes on until it answers or is ``outdatedRestarted(in:)``, since who
  /// changed the truth often asks for it anew at once; one that waits is made a new one.
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

  /// An outdated fetch is begun anew, instead of when it answers.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do; nothing if the fetch in flight is none.
  package mutating func outdatedRestarted(in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.isOutdated else { return .none }
    return restarted(current, in: world)
  }

  /// Begins a fetch anew, for all who wait for it.
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
    // Whoever left has left this one, too.
    updateCurrent {
      $0.stopsRetrying = current.stopsRetrying
      $0.lingersUntil = current.lingersUntil
      $0.supersessions = current.supersessions
    }
    return effects
  }

  /// The number of the fetch that was begun last, whether it is still in flight or not.
  package var newestFetch: UInt32 { fetchSerial }
}
