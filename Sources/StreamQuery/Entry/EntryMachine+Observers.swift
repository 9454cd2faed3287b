extension EntryMachine {
  /// How an observer came to the entry.
  package enum Arrival: Hashable, Sendable {
    /// A new subscription: its subscribe policy decides.
    case subscribed
    /// An existing observer moved to this key: only stale data is refetched.
    case moved
  }

  /// An observer subscribed.
  ///
  /// - Parameters:
  ///   - resolvedOptions: What it asks for.
  ///   - arrival: How it came.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func observed(
    by resolvedOptions: ResolvedObserverOptions,
    arrival: Arrival = .subscribed,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    join(resolvedOptions, at: environment.now.instant)
    interestRegained()
    let fetches =
      switch arrival {
      case .subscribed: fetchesOnSubscribe(resolvedOptions, at: environment.now.instant)
      case .moved: isStale(for: resolvedOptions, at: environment.now.instant)
      }
    if fetches { request(.subscribed, in: environment, &actions) }
    letPollingProceed(resolvedOptions, in: environment, &actions)
    return actions
  }

  /// What a new observer finds, before it is added; `nil` for one that asks for nothing.
  @inline(__always)
  package func lookup(by resolvedOptions: ResolvedObserverOptions, at now: Instant) -> CacheLookup?
  {
    guard resolvedOptions.isEnabled else { return nil }
    guard hasData else { return isIdle ? .miss : .joined }
    return isStale(resolvedOptions.freshness, at: now) ? .staleHit : .hit
  }

  /// An observer left.
  ///
  /// - Parameters:
  ///   - resolvedOptions: What it asked for.
  ///   - base: When it started polling.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func unobserved(
    by resolvedOptions: ResolvedObserverOptions,
    since base: Instant,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    leave(resolvedOptions, since: base)
    if observerCount == 0 { leaverGcTime = resolvedOptions.gcTime }
    interestLost(linger: resolvedOptions.linger, in: environment, &actions)
    return actions
  }

  /// An existing observer changed what it asks for.
  ///
  /// Enabling it counts as subscribing again: stale data is refetched. But if a function enables it
  /// because the entry was removed, nobody asked for anything (contract law 13). An observer that
  /// waited for a store arrives only now, so its subscribe policy decides.
  ///
  /// - Parameters:
  ///   - old: What it asked for.
  ///   - base: When it started polling.
  ///   - new: What it asks for now.
  ///   - isTurnedByFunction: Whether a function of the entry's state decides if it is enabled.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do, and the time that its polling counts from.
  package mutating func reobserved(
    from old: ResolvedObserverOptions,
    since base: Instant,
    to new: ResolvedObserverOptions,
    isTurnedByFunction: Bool = false,
    in environment: Environment
  ) -> (EntryActions, base: Instant) {
    var actions = catchUp(in: environment)
    let newBase = rhythm(from: old, since: base, to: new, in: environment)
    leave(old, since: base)
    join(new, at: newBase)
    actions.changed = true
    let fetches =
      switch old.participation {
      case .enabled: false
      case .restoring: fetchesOnSubscribe(new, at: environment.now.instant)
      case .disabled:
        isStale(for: new, at: environment.now.instant) && !(isRemoved && isTurnedByFunction)
      }
    if fetches { request(.subscribed, in: environment, &actions) }
    if !old.pollsInBackground { letPollingProceed(new, in: environment, &actions) }
    return (actions, newBase)
  }

  /// An observer came that polls while the app is inactive: a fetch that waits for the app goes on.
  private mutating func letPollingProceed(
    _ resolvedOptions: ResolvedObserverOptions,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    guard resolvedOptions.pollsInBackground, !environment.isActive, isPaused else { return }
    proceed(in: environment, &actions)
  }

  func fetchesOnSubscribe(_ resolvedOptions: ResolvedObserverOptions, at now: Instant) -> Bool {
    guard resolvedOptions.isEnabled else { return false }
    if !hasData || isIncomplete, !isError || resolvedOptions.retriesOnSubscribe { return true }
    return hasData && isWilling(resolvedOptions.onSubscribe, resolvedOptions, at: now)
  }

  func isWilling(
    _ policy: RefetchPolicy,
    _ resolvedOptions: ResolvedObserverOptions,
    at now: Instant
  ) -> Bool {
    guard resolvedOptions.isEnabled, resolvedOptions.freshness != .static else { return false }
    switch policy {
    case .never: return false
    case .ifStale: return isStale(resolvedOptions.freshness, at: now)
    case .always: return true
    }
  }

  // MARK: Interest

  private mutating func join(_ resolvedOptions: ResolvedObserverOptions, at now: Instant) {
    observerCount += 1
    if resolvedOptions.isEnabled { enabledCount += 1 }
    let index: Int
    if let group = group(of: resolvedOptions) {
      index = group
    } else {
      index = groups.count
      groups.append(ObserverGroup(resolvedOptions: resolvedOptions))
    }
    groups[index].count += 1
    // A tick at the same instant already sets the rhythm.
    if resolvedOptions.polls, now > lastTick { groups[index].insert(now) }
  }

  /// The index of the group with these options; compared in place, because a closure would get
  /// copies.
  // It changes nothing: see `nextDeadline(in:)`.
  private mutating func group(of resolvedOptions: ResolvedObserverOptions) -> Int? {
    for index in groups.indices where groups[index].resolvedOptions == resolvedOptions {
      return index
    }
    return nil
  }

  private mutating func leave(_ resolvedOptions: ResolvedObserverOptions, since base: Instant) {
    guard let index = group(of: resolvedOptions) else { return }
    observerCount -= 1
    if resolvedOptions.isEnabled { enabledCount -= 1 }
    groups[index].count -= 1
    if groups[index].count == 0 {
      // Usually the last one, which moves nothing.
      _ = index == groups.count - 1 ? groups.removeLast() : groups.remove(at: index)
    } else {
      groups[index].remove(base)
    }
  }

  mutating func interestRegained() {
    leaverGcTime = nil
    // Retries that were given up resume only if somebody asks for the fetch: see `request`.
    if !isIdle { fetch?.lingersUntil = nil }
  }

  /// Somebody left; if nobody is left, the fetch's own options decide what happens to it.
  mutating func interestLost(
    linger: TimeSpan?,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    guard !isWanted else { return }
    guard let current = fetch else {
      unwantedSince = environment.now.instant
      return
    }
    guard !current.hasClientLease else { return }
    switch linger.map(Abandonment.linger) ?? current.fetchOptions.abandonment {
    case .cancel:
      cancelCurrent(in: environment, &actions)
    case .linger(let span):
      if let until = environment.now.instant + span { fetch?.lingersUntil = until }
    case .finish:
      if isPaused, !hasData {
        cancelCurrent(in: environment, &actions)
      } else {
        fetch?.stopsRetrying = true
      }
    }
  }
}
