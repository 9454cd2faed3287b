extension EntryMachine {
  /// The way in which an observer came to the entry.
  package enum SubscribeKind: Hashable, Sendable {
    /// A new subscription: the observer's subscribe policy decides whether it fetches.
    case subscribed
    /// An existing observer moved to this key: only stale data is refetched.
    case moved
  }

  /// Adds an observer, and requests a fetch if the observer's options ask for one.
  ///
  /// - Parameters:
  ///   - resolvedOptions: Its options.
  ///   - arrival: The way in which the observer came.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func observed(
    by resolvedOptions: ResolvedObserverOptions,
    arrival: SubscribeKind = .subscribed,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    addInterest(resolvedOptions, at: environment.now.instant)
    interestRegained()
    lingerPromise = nil
    let fetches =
      switch arrival {
      case .subscribed: fetchesOnSubscribe(resolvedOptions, at: environment.now.instant)
      case .moved: isStale(for: resolvedOptions, at: environment.now.instant)
      }
    if fetches { request(.subscribed, in: environment, &actions) }
    letPollingProceed(resolvedOptions, in: environment, &actions)
    return actions
  }

  /// The hit or miss as which a new observer is counted, before it is added; `nil` if it is disabled.
  @inline(__always)
  package func lookup(by resolvedOptions: ResolvedObserverOptions, at now: Instant) -> CacheLookup?
  {
    guard resolvedOptions.isEnabled else { return nil }
    guard hasData else { return isIdle ? .miss : .joined }
    return isStale(resolvedOptions.freshness, at: now) ? .staleHit : .hit
  }

  /// Removes an observer; if it was the last, the options of the fetch in flight decide whether the fetch
  /// goes on.
  ///
  /// - Parameters:
  ///   - resolvedOptions: Its options.
  ///   - base: The time when it started polling.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func unobserved(
    by resolvedOptions: ResolvedObserverOptions,
    since base: Instant,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    removeInterest(resolvedOptions, since: base)
    if observerCount == 0 {
      leaverGcTime = resolvedOptions.gcTime
      lingerPromise = resolvedOptions.linger.map {
        InFlight.LingerPromise(since: environment.now.instant, span: $0)
      }
    }
    interestLost(linger: resolvedOptions.linger, in: environment, &actions)
    return actions
  }

  /// Replaces the options of an observer, and requests a fetch if the change asks for one.
  ///
  /// An observer that becomes enabled refetches stale data. It does not if a function of the entry's state
  /// has enabled it because the entry was removed. For an observer that has waited for a store, the subscribe
  /// policy decides; the observer does not fetch if the entry was removed meanwhile.
  ///
  /// - Parameters:
  ///   - old: Its former options.
  ///   - base: The time when it started polling; `distantPast` if the entry was removed since the observer
  ///     came or was enabled.
  ///   - new: Its new options.
  ///   - isTurnedByFunction: Whether a function of the entry's state decides if the observer is enabled.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions, and the time from which its polling counts.
  package mutating func reobserved(
    from old: ResolvedObserverOptions,
    since base: Instant,
    to new: ResolvedObserverOptions,
    isTurnedByFunction: Bool = false,
    in environment: Environment
  ) -> (EntryActions, base: Instant) {
    var actions = catchUp(in: environment)
    let newBase = rhythm(from: old, since: base, to: new, in: environment)
    removeInterest(old, since: base)
    addInterest(new, at: newBase)
    actions.changed = true
    let fetches =
      switch old.participation {
      case .enabled: false
      case .restoring:
        fetchesOnSubscribe(new, at: environment.now.instant)
          && !(isRemoved && base == .distantPast)
      case .disabled:
        isStale(for: new, at: environment.now.instant) && !(isRemoved && isTurnedByFunction)
      }
    if fetches { request(.subscribed, in: environment, &actions) }
    if !old.pollsInBackground { letPollingProceed(new, in: environment, &actions) }
    return (actions, newBase)
  }

  /// Continues a fetch that is paused because the app is inactive, for a new observer that polls in the
  /// background.
  private mutating func letPollingProceed(
    _ resolvedOptions: ResolvedObserverOptions,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    guard resolvedOptions.pollsInBackground, !environment.isActive, isPaused else { return }
    proceed(in: environment, &actions)
  }

  /// The entry as it would be if an observer subscribed now, for the first snapshot of that observer.
  ///
  /// This uses the same inputs as a real subscription, so that both follow one rule.
  ///
  /// - Parameters:
  ///   - resolvedOptions: The options of the observer.
  ///   - fetchOptions: The options of its query; `nil` if only the entry's present query can fetch.
  ///   - environment: The environment at the transaction.
  /// - Returns: The entry.
  func arrived(
    _ resolvedOptions: ResolvedObserverOptions,
    fetchOptions: FetchOptions?,
    in environment: Environment
  ) -> EntryMachine {
    var machine = self
    machine.adopted(fetchOptions: fetchOptions, gcTime: .zero)
    _ = machine.observed(by: resolvedOptions, in: environment)
    return machine
  }
}
