extension EntryMachine {
  /// The time of the entry's next deadline; `nil` if it has none.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The earliest deadline.
  // The method is `mutating` although it changes nothing: the machine is a large value, and calls of other
  // methods would copy it.
  @inline(__always)
  package mutating func nextDeadline(in environment: Environment) -> Instant? {
    var earliest: Instant?
    func consider(_ instant: Instant?) {
      guard let instant else { return }
      earliest = min(earliest ?? instant, instant)
    }
    if case .waiting(let until) = stage { consider(until) }
    if case .deferred(let until) = stage { consider(until) }
    consider(lingersUntil)
    consider(retentionEnd)
    // The loop uses indices, so that reading a group does not copy it.
    for index in groups.indices {
      consider(staleFlip(of: groups[index].resolvedOptions))
      if groups[index].resolvedOptions.polls {
        consider(nextPoll(of: groups[index], in: environment))
      }
    }
    return earliest
  }

  /// Does what is due at the deadlines that have been reached.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func timeReached(in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    let now = environment.now.instant
    if let until = lingersUntil, until <= now { cancelCurrent(in: environment, &actions) }
    let polls = groups.contains { nextPoll(of: $0, in: environment).map { $0 <= now } ?? false }
    if case .waiting(let until) = stage, until <= now { proceed(in: environment, &actions) }
    if case .deferred(let until?) = stage, until <= now {
      resumeDeferred(in: environment, &actions)
    }
    if polls { request(.interval, in: environment, &actions) }
    polledUntil = max(polledUntil, now)
    if isExpired(at: now) { actions.step = .drop }
    return actions
  }

  /// Takes a change of the network or the app into account, without a refetch.
  ///
  /// - Parameters:
  ///   - cause: The reconnect or activation; `nil` if the network was lost or the app became inactive.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func environmentMoved(
    _ cause: FetchCause?,
    in environment: Environment
  ) -> EntryActions {
    let actions = catchUp(in: environment)
    // The times of polls that passed while the app was inactive are skipped.
    if cause == .active { polledUntil = max(polledUntil, environment.now.instant) }
    return actions
  }

  /// Refetches for observers that ask for it, and continues a paused fetch, after the network or app changed.
  ///
  /// - Parameters:
  ///   - cause: The reconnect or activation for which to refetch; `nil` if there is none.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
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

  /// Whether retention is over: nobody wants the entry any more, and nothing is fetched.
  ///
  /// If so, ``timeReached(in:)`` would return the step `drop`. This test is cheaper: nearly all entries end
  /// this way, often a thousand in one transaction.
  ///
  /// - Parameter now: The time of the transaction.
  /// - Returns: Whether the entry may be dropped.
  @inline(__always)
  package func isExpired(at now: Instant) -> Bool {
    guard let end = retentionEnd else { return false }
    return end <= now
  }

  /// The end of retention, while nobody wants the entry and no fetch is in flight.
  private var retentionEnd: Instant? {
    @inline(__always) get {
      guard !isWanted, isIdle, !isPinned else { return nil }
      return unwantedSince + (leaverGcTime ?? gcTime)
    }
  }

  /// Whether an observer's refetch is due now.
  ///
  /// The entry is refetched with the query of the first such observer.
  ///
  /// - Parameters:
  ///   - resolvedOptions: The options of the observer.
  ///   - base: The time when the observer started polling.
  ///   - cause: The interval, or the change of the environment.
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

  /// The time from which polling counts after an observer changed its options.
  ///
  /// That time stays the same unless the current interval changed.
  func rhythm(
    from old: ResolvedObserverOptions,
    since base: Instant,
    to new: ResolvedObserverOptions,
    in environment: Environment
  ) -> Instant {
    let now = environment.now.instant
    // An observer that still waits for a store does not poll yet, and its entry may have been removed.
    if old.participation == .restoring, new.participation == .restoring { return base }
    let interval = new.interval(isActive: environment.isActive)
    guard old.isEnabled == new.isEnabled, old.interval == new.interval else { return now }
    guard interval != old.interval(isActive: environment.isActive) else { return base }
    // If only the interval in the background has changed, the ticks stay where they are.
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
  ///   - resolvedOptions: The options of the observer.
  ///   - base: The time of the last tick.
  ///   - polledUntil: See ``polledUntil``.
  ///   - environment: The environment at the transaction.
  /// - Returns: The tick; `nil` if there is none.
  // This is static and not inlined, because a method call would copy the machine, which is a large
  // value.
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
