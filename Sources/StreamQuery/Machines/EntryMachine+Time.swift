extension EntryMachine {
  /// The next time at which the entry has something to do, or `nil` if there is none.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The earliest deadline.
  // It changes nothing. The machine is a large value, which a call that may not change it would copy.
  @inline(__always)
  package mutating func nextDeadline(in environment: Environment) -> Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    if case .waiting(let until) = stage { consider(until) }
    if case .held(let until) = stage { consider(until) }
    consider(lingersUntil)
    consider(retentionEnd)
    // By index, so that looking at a group does not copy it.
    for index in groups.indices {
      consider(staleFlip(of: groups[index].resolvedOptions))
      if groups[index].resolvedOptions.polls {
        consider(nextPoll(of: groups[index], in: environment))
      }
    }
    return earliest
  }

  /// Time passed.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func timeReached(in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    let now = environment.now.instant
    if let until = lingersUntil, until <= now { cancelCurrent(in: environment, &actions) }
    let polls = groups.contains { nextPoll(of: $0, in: environment).map { $0 <= now } ?? false }
    if case .waiting(let until) = stage, until <= now { proceed(in: environment, &actions) }
    if case .held(let until?) = stage, until <= now { letGo(in: environment, &actions) }
    if polls { request(.interval, in: environment, &actions) }
    polledUntil = max(polledUntil, now)
    actions.expired = isExpired(at: now)
    return actions
  }

  /// The network or the app changed, and nothing follows from it, or not yet.
  ///
  /// - Parameters:
  ///   - cause: The transition, or `nil` if network or app went away.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func environmentMoved(
    _ cause: FetchCause?,
    in environment: Environment
  ) -> EntryActions {
    let actions = catchUp(in: environment)
    // Ticks that fell into the background are skipped.
    if cause == .active { polledUntil = max(polledUntil, environment.now.instant) }
    return actions
  }

  /// Network or app changed.
  ///
  /// - Parameters:
  ///   - cause: The transition that refetches willing observers, or `nil` if there is none.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func environmentChanged(
    _ cause: FetchCause?,
    in environment: Environment
  ) -> EntryActions {
    var actions = environmentMoved(cause, in: environment)
    let isWilling = groups.contains {
      isDue($0.resolvedOptions, since: lastTick, cause, in: environment)
    }
    if isWilling, let cause { request(cause, in: environment, &actions) }
    if isPaused { proceed(in: environment, &actions) }
    return actions
  }

  /// Whether retention is over and nothing else is due at this time.
  ///
  /// Checked before ``timeReached(in:)``, which would give the same answer: nearly all entries end
  /// this way, a thousand in one transaction.
  ///
  /// - Parameter now: The time of the transaction.
  /// - Returns: Whether the entry may be dropped.
  @inline(__always)
  package func isExpired(at now: Instant) -> Bool {
    guard let end = retentionEnd else { return false }
    return end <= now
  }

  /// When retention is over: nobody wants the entry and nothing is in flight.
  private var retentionEnd: Instant? {
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
  ///   - resolvedOptions: What the observer asks for.
  ///   - base: When it started polling.
  ///   - cause: The time, or the change of the environment.
  ///   - environment: The environment at the transaction.
  /// - Returns: Whether its refetch is due.
  package func isDue(
    _ resolvedOptions: ResolvedObserverOptions,
    since base: Instant,
    _ cause: FetchCause?,
    in environment: Environment
  ) -> Bool {
    let now = environment.now.instant
    return switch cause {
    case .reconnect: isWilling(resolvedOptions.onReconnect, resolvedOptions, at: now)
    case .active: isWilling(resolvedOptions.onActive, resolvedOptions, at: now)
    case .interval:
      Self.nextPoll(
        of: resolvedOptions,
        since: max(base, lastTick),
        after: polledUntil,
        in: environment
      ).map { $0 <= now } ?? false
    case .subscribed, .invalidated, .manual, .reset, .trigger, nil: false
    }
  }

  /// The time that polling counts from after an observer changed its options: its rhythm continues
  /// unless the current interval changed.
  func rhythm(
    from old: ResolvedObserverOptions,
    since base: Instant,
    to new: ResolvedObserverOptions,
    in environment: Environment
  ) -> Instant {
    let now = environment.now.instant
    let interval = new.interval(isActive: environment.isActive)
    guard old.isEnabled == new.isEnabled, old.interval == new.interval else { return now }
    guard interval != old.interval(isActive: environment.isActive) else { return base }
    // If only its polling in the background changed, the ticks stay where they were.
    guard interval == new.interval, interval > .zero, !interval.isInfinite else { return now }
    let late = (now.nanoseconds &- max(base, lastTick).nanoseconds) % interval.nanoseconds
    return Instant(nanoseconds: now.nanoseconds &- late)
  }

  /// The next tick of a group's polling that has not been handled.
  @inline(__always)
  func nextPoll(of group: ObserverGroup, in environment: Environment) -> Instant? {
    Self.nextPoll(
      of: group.resolvedOptions,
      since: group.base(after: lastTick),
      after: polledUntil,
      in: environment
    )
  }

  /// The next tick of polling that has not been handled.
  ///
  /// - Parameters:
  ///   - resolvedOptions: What the observer asks for.
  ///   - base: When the last tick was.
  ///   - polledUntil: See ``polledUntil``.
  ///   - environment: The environment at the transaction.
  /// - Returns: The tick; `nil` if there is none.
  // Static, and not inlined: the machine is a large value, and a call of it would copy it.
  @inline(never)
  private static func nextPoll(
    of resolvedOptions: ResolvedObserverOptions,
    since base: Instant,
    after polledUntil: Instant,
    in environment: Environment
  ) -> Instant? {
    guard resolvedOptions.polls else { return nil }
    let interval = resolvedOptions.jitter.applied(
      to: resolvedOptions.interval(isActive: environment.isActive),
      since: base
    )
    guard interval > .zero, let first = base + interval else { return nil }
    guard first <= polledUntil else { return first }
    // Ticks that were handled, or that fell into a pause of polling, are skipped.
    let late = (polledUntil.nanoseconds &- first.nanoseconds) % interval.nanoseconds
    let (next, overflows) = polledUntil.nanoseconds.addingReportingOverflow(
      interval.nanoseconds &- late
    )
    return overflows ? nil : Instant(nanoseconds: next)
  }
}
