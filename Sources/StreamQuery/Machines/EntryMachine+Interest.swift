extension EntryMachine {
  mutating func addInterest(_ resolvedOptions: ResolvedObserverOptions, at now: Instant) {
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
    // If a fetch started or ended at this instant, polling already counts from this instant.
    if resolvedOptions.polls, now > lastTick { groups[index].insert(now) }
  }

  /// The index of the group with these options.
  ///
  /// The options are compared in place, because a closure would get copies of them.
  // `mutating` without changes: see `nextDeadline(in:)`.
  private mutating func group(of resolvedOptions: ResolvedObserverOptions) -> Int? {
    for index in groups.indices where groups[index].resolvedOptions == resolvedOptions {
      return index
    }
    return nil
  }

  mutating func removeInterest(_ resolvedOptions: ResolvedObserverOptions, since base: Instant) {
    guard let index = group(of: resolvedOptions) else { return }
    observerCount -= 1
    if resolvedOptions.isEnabled { enabledCount -= 1 }
    groups[index].count -= 1
    if groups[index].count == 0 {
      // Usually the group is the last one, so that no other has to move.
      _ = index == groups.count - 1 ? groups.removeLast() : groups.remove(at: index)
    } else {
      groups[index].remove(base)
    }
  }

  mutating func interestRegained() {
    leaverGcTime = nil
    // Retries that were given up resume only if somebody asks for the fetch: see `request`.
    if lingersUntil != nil, let current = fetch {
      fetch?.claim =
        current.stopsRetrying ? .abandoned(isLastAttempt: true, until: nil) : .shared
    }
  }

  /// Cancels the fetch or lets it go on, by its options, if the last observer or caller has left.
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
    var abandonment = linger.map(Abandonment.linger) ?? current.fetchOptions.abandonment
    // A caller that leaves does not shorten the time for which the last observer lets the fetch go on.
    if linger == nil, let rest = current.lingerPromise?.rest(at: environment.now.instant) {
      if case .linger(let own) = abandonment {
        abandonment = .linger(max(own, rest))
      } else {
        abandonment = .linger(rest)
      }
    }
    switch abandonment {
    case .cancel:
      cancelCurrent(in: environment, &actions)
    case .linger(let span):
      guard let until = environment.now.instant + span else { return }
      fetch?.claim = .abandoned(isLastAttempt: current.stopsRetrying, until: until)
    case .finish:
      if isPaused, !hasData {
        cancelCurrent(in: environment, &actions)
      } else {
        fetch?.claim = .abandoned(isLastAttempt: true, until: nil)
      }
    }
  }

  /// Keeps the entry even if nobody wants it, because layers of mutations lie over its data.
  package mutating func pinned() {
    isPinned = true
  }

  /// Ends the effect of ``pinned()``, because no layers lie over the entry's data any more.
  ///
  /// - Parameter environment: The environment at the transaction.
  package mutating func unpinned(in environment: Environment) {
    guard isPinned else { return }
    isPinned = false
    if !isWanted { unwantedSince = max(unwantedSince, environment.now.instant) }
  }
}
