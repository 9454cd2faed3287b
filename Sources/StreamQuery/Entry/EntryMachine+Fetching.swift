extension EntryMachine {
  /// The plan of the next fetch or a retention was given.
  ///
  /// - Parameters:
  ///   - terms: The terms of the next fetch; `nil` leaves them.
  ///   - gcTime: A requested retention; the longest one applies.
  package mutating func planned(terms: FetchTerms?, gcTime: Span) {
    if let terms { self.terms = terms }
    self.gcTime = max(self.gcTime, gcTime)
  }

  /// The current fetch had nothing to call so far; its function is known now, and its terms decide
  /// what happens when nobody wants the fetch.
  package mutating func fetchBecameKnown() {
    let abandonment = terms.abandonment
    updateCurrent { $0.terms.abandonment = abandonment }
  }

  /// Something asked for a fetch.
  ///
  /// - Parameters:
  ///   - cause: Why.
  ///   - superseding: Whether a running fetch is replaced if there is data; otherwise it is joined.
  ///     Without data, and after ``supersessionLimit`` replacements in a row, it is joined in any
  ///     case; if its answer may be too old by then, one more fetch follows it.
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

  /// A caller started waiting for the current fetch, with a lease on it.
  package mutating func waiterJoined() {
    guard !isIdle else { return }
    waiterCount += 1
    interestRegained()
  }

  /// Callers were answered although a fetch continues: theirs was superseded.
  ///
  /// - Parameter count: How many leases remain.
  package mutating func waitersAnswered(leaving count: Int) {
    waiterCount = count
  }

  /// A waiting caller was cancelled.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func waiterLeft(in world: World) -> EntryEffects {
    // Its fetch has ended, and the lease with it.
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
  /// - Returns: What to do; `ended` is set if and only if the value lands.
  package mutating func attemptSucceeded(_ id: FetchID, in world: World) -> EntryEffects {
    // Superseded, cancelled or fenced while it ran: its answer comes too late.
    guard case .running(let current) = phase, current.id == id else { return .none }
    guard !current.isOutdated else { return restarted(current, in: world) }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    hasData = true
    dataUpdatedAt = world.now
    dataUpdateCount += 1
    isError = false
    failureCount = 0
    // Adding a page clears the mark as well, although the pages before it are no newer: what is on
    // the screen was requested just now. But no answer clears a mark that was set after the answer
    // was requested.
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
  /// - Returns: What to do; `ended` says whether there was data to keep. If there was none, the
  ///   fetch failed.
  package mutating func attemptKept(_ id: FetchID, in world: World) -> EntryEffects {
    guard case .running(let current) = phase, current.id == id else { return .none }
    guard !current.isOutdated else { return restarted(current, in: world) }
    guard hasData || current.undo.shelved != nil else {
      return attemptFailed(id, retryAfter: nil, in: world)
    }
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    unshelve(current, &effects)
    // The answer is about the data before a write; the write has its own age and mark.
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
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is none.
  ///   - world: The world at the turn.
  /// - Returns: What to do; `changed` is set if and only if the failure counts.
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
