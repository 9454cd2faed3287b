extension EntryMachine {
  /// The plan of the next fetch, or a retention, was given.
  ///
  /// - Parameters:
  ///   - terms: The terms of the next fetch; `nil` leaves them.
  ///   - gcTime: A retention that was asked for; the longest holds.
  package mutating func planned(terms: FetchTerms?, gcTime: Span) {
    if let terms { self.terms = terms }
    self.gcTime = max(self.gcTime, gcTime)
  }

  /// Something asked for a fetch.
  ///
  /// - Parameters:
  ///   - cause: Why.
  ///   - superseding: Whether a running fetch is replaced when there is data; else it is joined.
  ///   - clientLease: Whether the client itself wants the fetch, although nobody observes the key.
  ///   - direction: Which page to add; `nil` fetches the whole value.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func requested(
    _ cause: FetchCause,
    superseding: Bool = false,
    clientLease: Bool = false,
    direction: PageDirection? = nil,
    in world: World
  ) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    request(
      cause,
      superseding: superseding,
      clientLease: clientLease,
      direction: direction,
      in: world,
      &effects
    )
    // Said again of a fetch that rested before: those who just began to watch must hear of it.
    if isPaused { effects.paused = true }
    return effects
  }

  /// A caller began to wait for the current fetch, with a lease on it.
  package mutating func waiterJoined() {
    guard !isIdle else { return }
    waiterCount += 1
    interestRegained()
  }

  /// A waiting caller was cancelled.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func waiterLeft(in world: World) -> EntryEffects {
    // Its fetch ended, and with it the lease.
    guard waiterCount > 0 else { return .none }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    waiterCount -= 1
    interestLost(linger: nil, in: world, &effects)
    return effects
  }

  /// An attempt returned a value.
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - world: The world at the turn.
  /// - Returns: What to do; `ended` is set exactly if the value lands.
  package mutating func attemptSucceeded(_ id: FetchID, in world: World) -> EntryEffects {
    // Superseded, cancelled or fenced while it ran: its answer is too late.
    guard case .running(let current) = phase, current.id == id else { return .none }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    hasData = true
    dataUpdatedAt = world.now
    dataUpdateCount += 1
    settledCount += 1
    isError = false
    failureCount = 0
    isInvalidated = current.wasMarked
    end(.succeeded, in: world, &effects)
    return effects
  }

  /// An attempt failed.
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is to be none.
  ///   - world: The world at the turn.
  /// - Returns: What to do; `changed` is set exactly if the failure counts.
  package mutating func attemptFailed(
    _ id: FetchID,
    retryAfter: Span?,
    in world: World
  ) -> EntryEffects {
    guard case .running(let current) = phase, current.id == id else { return .none }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    failureCount += 1
    beat(at: world.now.moment)
    effects.changed = true
    if let retryAfter, !current.stopsRetrying, let until = world.now.moment + retryAfter {
      phase = .waiting(current, until: until)
    } else {
      fail(in: world, &effects)
    }
    return effects
  }

  /// An attempt ended itself by cancellation, which is never an error (contract law 10).
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func attemptCancelled(_ id: FetchID, in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.id == id else { return .none }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    undo(current)
    end(.cancelled, in: world, &effects)
    return effects
  }

  /// Somebody cancelled the entry's fetch.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do; nothing if none is in flight.
  package mutating func cancelRequested(in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    cancelCurrent(in: world, &effects)
    return effects
  }

  // MARK: Steps

  mutating func request(
    _ cause: FetchCause,
    superseding: Bool,
    clientLease: Bool,
    direction: PageDirection? = nil,
    in world: World,
    _ effects: inout EntryEffects
  ) {
    guard let current else {
      begin(
        cause,
        clientLease: clientLease,
        direction: direction,
        undo: nil,
        in: world,
        &effects
      )
      return
    }
    if superseding, hasData {
      effects.cancelled = current.id
      begin(
        cause,
        clientLease: clientLease || current.hasClientLease,
        direction: direction,
        undo: current.undo,
        in: world,
        &effects
      )
    } else {
      updateCurrent {
        $0.hasClientLease = $0.hasClientLease || clientLease
        $0.stopsRetrying = false
        $0.lingersUntil = nil
      }
      // A reconnect lets mutations go first. Who asks meanwhile does not wait for them: it may be
      // one of them, and they for it.
      if case .paused(let current, let next) = phase, canContinue(current, in: world) {
        proceed(current, to: next, in: world, &effects)
      }
    }
  }

  /// Starts a fetch; `undo` is that of the fetch it replaces, so that a cancellation leads back to
  /// what was there before both.
  private mutating func begin(
    _ cause: FetchCause,
    clientLease: Bool,
    direction: PageDirection?,
    undo: Undo?,
    in world: World,
    _ effects: inout EntryEffects
  ) {
    fetchSerial &+= 1
    let current = Current(
      id: FetchID(rawValue: fetchSerial),
      terms: terms,
      hasClientLease: clientLease,
      // A page that is added says nothing of the pages before it: they stay marked.
      wasMarked: direction != nil && hasData && isInvalidated,
      direction: direction,
      undo: undo
        ?? Undo(
          isError: isError,
          failureCount: failureCount,
          cause: self.cause,
          direction: self.direction
        )
    )
    self.cause = cause
    self.direction = direction
    failureCount = 0
    // A load that starts again is pending again; a refetch keeps the error beside its data.
    if !hasData { isError = false }
    beat(at: world.now.moment)
    effects.changed = true
    if terms.networkMode == .online, !world.isOnline {
      phase = .paused(current, before: .firstAttempt)
      effects.paused = true
    } else {
      phase = .running(current)
      effects.started = current.id
    }
  }

  mutating func fail(in world: World, _ effects: inout EntryEffects) {
    isError = true
    errorUpdatedAt = world.now
    errorUpdateCount += 1
    settledCount += 1
    if current?.terms.failureInvalidates ?? true { isInvalidated = true }
    end(.failed, in: world, &effects)
  }

  mutating func cancelCurrent(in world: World, _ effects: inout EntryEffects) {
    guard let current else { return }
    effects.cancelled = current.id
    undo(current)
    end(.cancelled, in: world, &effects)
  }

  private mutating func undo(_ current: Current) {
    // Only what the fetch itself changed: a write or an invalidation that came meanwhile stays.
    if !hasData { isError = current.undo.isError }
    failureCount = isError ? current.undo.failureCount : 0
    cause = current.undo.cause
    direction = current.undo.direction
  }

  mutating func end(_ ending: FetchEnding, in world: World, _ effects: inout EntryEffects) {
    phase = .idle
    beat(at: world.now.moment)
    // Those who waited are answered now; nobody waits for the next fetch yet.
    waiterCount = 0
    effects.ended = ending
    effects.changed = true
    if !isWanted { unwantedSince = world.now.moment }
  }

  func canContinue(_ current: Current, in world: World) -> Bool {
    world.isActive && (current.terms.networkMode == .always || world.isOnline)
  }

  /// Goes on after a retry wait or a pause, if the world and the fetch's terms allow it.
  mutating func proceed(
    _ current: Current,
    to next: Pause,
    in world: World,
    _ effects: inout EntryEffects
  ) {
    guard canContinue(current, in: world) else {
      if !isPaused {
        phase = .paused(current, before: next)
        effects.paused = true
        effects.changed = true
        beat(at: world.now.moment)
      }
      return
    }
    if current.stopsRetrying, next == .retry {
      fail(in: world, &effects)
    } else {
      phase = .running(current)
      effects.started = current.id
      effects.changed = true
    }
  }

  mutating func beat(at now: Moment) {
    lastBeat = now
    for index in groups.indices where !groups[index].bases.isEmpty {
      groups[index].bases.removeAll(keepingCapacity: true)
    }
  }
}
