extension EntryMachine {
  /// The next time at which the entry has something to do, or `nil` if there is none.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: The earliest deadline.
  package func nextDeadline(in world: World) -> Moment? {
    var earliest: Moment?
    func consider(_ moment: Moment?) {
      guard let moment else { return }
      earliest = min(earliest ?? moment, moment)
    }
    if case .waiting(_, let until) = phase { consider(until) }
    consider(current?.lingersUntil)
    consider(retentionEnd)
    for group in groups {
      consider(staleFlip(of: group.profile))
      consider(nextPoll(of: group, in: world))
    }
    return earliest
  }

  /// Time went by.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func timeReached(in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    let now = world.now.moment
    if let until = current?.lingersUntil, until <= now {
      cancelCurrent(in: world, &effects)
    }
    let polls = groups.contains { nextPoll(of: $0, in: world).map { $0 <= now } ?? false }
    if case .waiting(let current, let until) = phase, until <= now {
      proceed(current, to: .retry, in: world, &effects)
    }
    if polls {
      request(.interval, superseding: false, clientLease: false, in: world, &effects)
    }
    polledUntil = max(polledUntil, now)
    if let end = retentionEnd, end <= now { effects.expired = true }
    return effects
  }

  /// Network or app changed.
  ///
  /// - Parameters:
  ///   - cause: The edge that refetches willing observers, or `nil` if it was not towards them.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func worldChanged(_ cause: FetchCause?, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    let now = world.now.moment
    let isWilling = groups.contains { group in
      switch cause {
      case .reconnect: self.isWilling(group.profile.onReconnect, group.profile, at: now)
      case .active: self.isWilling(group.profile.onActive, group.profile, at: now)
      default: false
      }
    }
    if isWilling, let cause {
      request(cause, superseding: false, clientLease: false, in: world, &effects)
    }
    if case .paused(let current, let next) = phase {
      proceed(current, to: next, in: world, &effects)
    }
    // Beats that fell into the background are not made up for.
    if cause == .active { polledUntil = max(polledUntil, now) }
    return effects
  }

  /// When retention is over: nobody wants the entry and nothing is in flight.
  private var retentionEnd: Moment? {
    guard !isWanted, isIdle, !isPinned else { return nil }
    return unwantedSince + (leaverGcTime ?? gcTime)
  }

  /// The next beat of a group's polling after what has been dealt with.
  private func nextPoll(of group: ObserverGroup, in world: World) -> Moment? {
    guard group.profile.polls else { return nil }
    let interval = group.profile.interval(isActive: world.isActive)
    guard interval > .zero, let first = group.base(after: lastBeat) + interval else { return nil }
    guard first <= polledUntil else { return first }
    // Beats that were dealt with, or fell into a pause of polling, are not made up for.
    let late = (polledUntil.nanoseconds &- first.nanoseconds) % interval.nanoseconds
    let (next, overflows) = polledUntil.nanoseconds.addingReportingOverflow(
      interval.nanoseconds &- late
    )
    return overflows ? nil : Moment(nanoseconds: next)
  }
}
