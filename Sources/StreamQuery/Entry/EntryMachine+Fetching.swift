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

  /// The current fetch had nothing to call so far; what became known says what becomes of it when
  /// nobody wants it.
  package mutating func fetchBecameKnown() {
    let abandonment = terms.abandonment
    updateCurrent { $0.terms.abandonment = abandonment }
  }

  /// Something asked for a fetch.
  ///
  /// - Parameters:
  ///   - cause: Why.
  ///   - superseding: Whether a running fetch is replaced when there is data; else it is joined. Without
  ///     data, and after ``supersessionLimit`` times in a row, it is joined as well; if its answer may be
  ///     too old by then, one more fetch follows it.
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
    return effects
  }

  /// A caller began to wait for the current fetch, with a lease on it.
  package mutating func waiterJoined() {
    guard !isIdle else { return }
    waiterCount += 1
    interestRegained()
  }

  /// Callers were answered although a fetch goes on: theirs was superseded.
  ///
  /// - Parameter count: How many leases are left.
  package mutating func waitersAnswered(leaving count: Int) {
    waiterCount = count
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
    guard !current.isOutdated else { return restarted(current, in: world) }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    hasData = true
    dataUpdatedAt = world.now
    dataUpdateCount += 1
    isError = false
    failureCount = 0
    // A page that was added clears the mark as well, although the pages before it are as old as they
    // were: what is on the screen was asked for just now. But no answer clears a mark that came after
    // it was asked for.
    isInvalidated = current.predatesMark
    end(.succeeded, in: world, &effects)
    follow(current, in: world, &effects)
    return effects
  }

  /// An attempt found that the data is still good.
  ///
  /// - Parameters:
  ///   - id: The fetch; an old one is a no-op.
  ///   - world: The world at the turn.
  /// - Returns: What to do; `ended` says whether there was data to keep, else the fetch failed.
  package mutating func attemptKept(_ id: FetchID, in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.id == id else { return .none }
    guard !current.isOutdated else { return restarted(current, in: world) }
    guard hasData || current.undo.shelved != nil else {
      return attemptFailed(id, retryAfter: nil, in: world)
    }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    unshelve(current, &effects)
    // The answer is about what was there before a write, which has its own age and mark.
    if !current.wasWritten {
      dataUpdatedAt = world.now
      isInvalidated = current.predatesMark
    }
    dataUpdateCount += 1
    isError = false
    failureCount = 0
    end(.kept, in: world, &effects)
    follow(current, in: world, &effects)
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
    guard !current.isOutdated else { return restarted(current, in: world) }
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
    undo(current, &effects)
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
}
