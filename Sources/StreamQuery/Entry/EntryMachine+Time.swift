extension EntryMachine {
  /// The next time at which the entry has something to do, or `nil` if there is none.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: The earliest deadline.
  // Inlined: the machine is a large value, and a call would copy it.
  @inline(__always)
  package func nextDeadline(in world: World) -> Moment? {
    var earliest: Moment?
    func consider(_ moment: Moment?) {
      guard let moment else { return }
      earliest = min(earliest ?? moment, moment)
    }
    if case .waiting(_, let until) = phase { consider(until) }
    consider(current?.lingersUntil)
    consider(retentionEnd)
    // By index, so that looking at a group does not copy it.
    for index in groups.indices {
      consider(staleFlip(of: groups[index].profile))
      if groups[index].profile.polls { consider(nextPoll(of: groups[index], in: world)) }
    }
    return earliest
  }

  /// Time passed.
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
    effects.expired = isExpired(at: now)
    return effects
  }

  /// The network or the app changed, and nothing follows from it, or not yet.
  ///
  /// - Parameters:
  ///   - cause: The edge, or `nil` if network or app went away.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func worldMoved(_ cause: FetchCause?, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    // Beats that fell into the background are skipped.
    if cause == .active { polledUntil = max(polledUntil, world.now.moment) }
    return effects
  }

  /// Network or app changed.
  ///
  /// - Parameters:
  ///   - cause: The edge that refetches willing observers, or `nil` if there is none.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func worldChanged(_ cause: FetchCause?, in world: World) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    let now = world.now.moment
    let isWilling = groups.contains { isDue($0.profile, since: lastBeat, cause, in: world) }
    if isWilling, let cause {
      request(cause, superseding: false, clientLease: false, in: world, &effects)
    }
    if case .paused(let current, let next) = phase {
      proceed(current, to: next, in: world, &effects)
    }
    // Beats that fell into the background are skipped.
    if cause == .active { polledUntil = max(polledUntil, now) }
    return effects
  }

  /// Whether retention is over and nothing else is due at this time.
  ///
  /// Checked before ``timeReached(in:)``, which would give the same answer: nearly all entries end
  /// this way, a thousand in one turn.
  ///
  /// - Parameter now: The time of the turn.
  /// - Returns: Whether the entry may be dropped.
  @inline(__always)
  package func isExpired(at now: Moment) -> Bool {
    guard let end = retentionEnd else { return false }
    return end <= now
  }

  /// When retention is over: nobody wants the entry and nothing is in flight.
  private var retentionEnd: Moment? {
    @inline(__always) get {
      guard !isWanted, isIdle, !isPinned else { return nil }
      return unwantedSince + (leaverGcTime ?? gcTime)
    }
  }

  /// Whether an observer is one of those whose refetch is due now.
  ///
  /// The refetch belongs to the first such observer: its query says how to fetch.
  ///
  /// - Parameters:
  ///   - profile: What the observer asks for.
  ///   - base: When it started polling.
  ///   - cause: The time, or the change of the world.
  ///   - world: The world at the turn.
  /// - Returns: Whether its refetch is due.
  package func isDue(
    _ profile: ObserverProfile,
    since base: Moment,
    _ cause: FetchCause?,
    in world: World
  ) -> Bool {
    let now = world.now.moment
    return switch cause {
    case .reconnect: isWilling(profile.onReconnect, profile, at: now)
    case .active: isWilling(profile.onActive, profile, at: now)
    case .interval:
      nextPoll(of: profile, since: max(base, lastBeat), in: world).map { $0 <= now } ?? false
    case .subscribed, .invalidated, .manual, .reset, .trigger, nil: false
    }
  }

  /// The time that polling counts from after an observer changed its options: its rhythm continues
  /// unless the current interval changed.
  func rhythm(
    from old: ObserverProfile,
    since base: Moment,
    to new: ObserverProfile,
    in world: World
  ) -> Moment {
    let now = world.now.moment
    let interval = new.interval(isActive: world.isActive)
    guard old.isEnabled == new.isEnabled, old.interval == new.interval else { return now }
    guard interval != old.interval(isActive: world.isActive) else { return base }
    // If only its polling in the background changed, the beats stay where they were.
    guard interval == new.interval, interval > .zero, !interval.isInfinite else { return now }
    let late = (now.nanoseconds &- max(base, lastBeat).nanoseconds) % interval.nanoseconds
    return Moment(nanoseconds: now.nanoseconds &- late)
  }

  /// The next beat of a group's polling that has not been handled.
  func nextPoll(of group: ObserverGroup, in world: World) -> Moment? {
    nextPoll(of: group.profile, since: group.base(after: lastBeat), in: world)
  }

  /// The next beat of polling that has not been handled.
  private func nextPoll(
    of profile: ObserverProfile,
    since base: Moment,
    in world: World
  ) -> Moment? {
    guard profile.polls else { return nil }
    let interval = profile.interval(isActive: world.isActive)
    guard interval > .zero, let first = base + interval else { return nil }
    guard first <= polledUntil else { return first }
    // Beats that were handled, or that fell into a pause of polling, are skipped.
    let late = (polledUntil.nanoseconds &- first.nanoseconds) % interval.nanoseconds
    let (next, overflows) = polledUntil.nanoseconds.addingReportingOverflow(
      interval.nanoseconds &- late
    )
    return overflows ? nil : Moment(nanoseconds: next)
  }
}
