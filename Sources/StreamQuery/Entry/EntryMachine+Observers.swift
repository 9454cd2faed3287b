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
  ///   - profile: What it asks for.
  ///   - arrival: How it came.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func observed(
    by profile: ObserverProfile,
    arrival: Arrival = .subscribed,
    in world: World
  ) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    join(profile, at: world.now.moment)
    interestRegained()
    let fetches =
      switch arrival {
      case .subscribed: fetchesOnSubscribe(profile, at: world.now.moment)
      case .moved: isStale(for: profile, at: world.now.moment)
      }
    if fetches {
      request(.subscribed, superseding: false, clientLease: false, in: world, &effects)
    }
    return effects
  }

  /// What a new observer finds, before it is added; `nil` for one that asks for nothing.
  @inline(__always)
  package func lookup(by profile: ObserverProfile, at now: Moment) -> CacheLookup? {
    guard profile.isEnabled else { return nil }
    guard hasData else { return current == nil ? .miss : .joined }
    return isStale(profile.freshness, at: now) ? .staleHit : .hit
  }

  /// An observer left.
  ///
  /// - Parameters:
  ///   - profile: What it asked for.
  ///   - base: When it started polling.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func unobserved(
    by profile: ObserverProfile,
    since base: Moment,
    in world: World
  ) -> EntryEffects {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    leave(profile, since: base)
    if observerCount == 0 { leaverGcTime = profile.gcTime }
    interestLost(linger: profile.linger, in: world, &effects)
    return effects
  }

  /// An existing observer changed what it asks for.
  ///
  /// Enabling it counts as subscribing again: stale data is refetched. But if a function enables it
  /// because the entry was removed, nobody asked for anything (contract law 13).
  ///
  /// - Parameters:
  ///   - old: What it asked for.
  ///   - base: When it started polling.
  ///   - new: What it asks for now.
  ///   - isTurnedByFunction: Whether a function of the entry's state decides if it is enabled.
  ///   - world: The world at the turn.
  /// - Returns: What to do, and the time that its polling counts from.
  package mutating func reobserved(
    from old: ObserverProfile,
    since base: Moment,
    to new: ObserverProfile,
    isTurnedByFunction: Bool = false,
    in world: World
  ) -> (EntryEffects, base: Moment) {
    var effects = EntryEffects()
    catchUp(in: world, &effects)
    let newBase = rhythm(from: old, since: base, to: new, in: world)
    leave(old, since: base)
    join(new, at: newBase)
    effects.changed = true
    if !old.isEnabled, isStale(for: new, at: world.now.moment),
      !(isRemoved && isTurnedByFunction)
    {
      request(.subscribed, superseding: false, clientLease: false, in: world, &effects)
    }
    return (effects, newBase)
  }

  func fetchesOnSubscribe(_ profile: ObserverProfile, at now: Moment) -> Bool {
    guard profile.isEnabled else { return false }
    guard hasData else { return !isError || profile.retriesOnSubscribe }
    return isWilling(profile.onSubscribe, profile, at: now)
  }

  func isWilling(_ policy: RefetchPolicy, _ profile: ObserverProfile, at now: Moment) -> Bool {
    guard profile.isEnabled, profile.freshness != .static else { return false }
    switch policy {
    case .never: return false
    case .ifStale: return isStale(profile.freshness, at: now)
    case .always: return true
    }
  }

  // MARK: Interest

  private mutating func join(_ profile: ObserverProfile, at now: Moment) {
    observerCount += 1
    if profile.isEnabled { enabledCount += 1 }
    let index: Int
    if let group = group(of: profile) {
      index = group
    } else {
      index = groups.count
      groups.append(ObserverGroup(profile: profile))
    }
    groups[index].count += 1
    // A beat at the same instant already sets the rhythm.
    if profile.polls, now > lastBeat { groups[index].insert(now) }
  }

  /// The index of a profile's group; compared in place, because a closure would get copies.
  private func group(of profile: ObserverProfile) -> Int? {
    for index in groups.indices where groups[index].profile == profile { return index }
    return nil
  }

  private mutating func leave(_ profile: ObserverProfile, since base: Moment) {
    guard let index = group(of: profile) else { return }
    observerCount -= 1
    if profile.isEnabled { enabledCount -= 1 }
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
    updateCurrent { $0.lingersUntil = nil }
  }

  /// Somebody left; if nobody is left, the fetch's own terms decide what happens to it.
  mutating func interestLost(
    linger: Span?,
    in world: World,
    _ effects: inout EntryEffects
  ) {
    guard !isWanted else { return }
    guard let current else {
      unwantedSince = world.now.moment
      return
    }
    guard !current.hasClientLease else { return }
    switch linger.map(Abandonment.linger) ?? current.terms.abandonment {
    case .cancel:
      cancelCurrent(in: world, &effects)
    case .linger(let span):
      if let until = world.now.moment + span { updateCurrent { $0.lingersUntil = until } }
    case .finish:
      if isPaused, !hasData {
        cancelCurrent(in: world, &effects)
      } else {
        updateCurrent { $0.stopsRetrying = true }
      }
    }
  }
}
