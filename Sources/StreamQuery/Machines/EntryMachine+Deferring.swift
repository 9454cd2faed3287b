// A fetch is deferred if its first attempt may be unnecessary, because an import or a store may
// bring the data.
extension EntryMachine {
  /// Whether the fetch in flight is deferred.
  package var isDeferred: Bool { if case .deferred = stage { true } else { false } }

  /// Whether a fetch that is about to begin its first attempt may be deferred.
  ///
  /// A fetch is deferred once at most, and only if there is no data and it fetches a whole value at once.
  ///
  /// - Parameter id: The fetch.
  /// - Returns: Whether ``deferred(_:until:)`` would defer the fetch; `false` if the fetch is no longer in
  ///   flight.
  package func canDefer(_ id: FetchID) -> Bool {
    guard let current = running(id), !hasData, failureCount == 0 else { return false }
    return current.beginning == .anew && current.attempt.standing != .outdated
      && !current.fetchOptions.showsParts
      && current.part == .whole && current.undo.stashed == nil
  }

  /// Defers the first attempt of a fetch, because an import may bring the data.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - limit: The time at which the fetch begins even without the import; `nil` is never.
  package mutating func deferred(_ id: FetchID, until limit: Instant?) {
    guard canDefer(id) else { return }
    fetch?.stage = .deferred(until: limit)
    fetch?.beginning = .afterDeferral
  }

  /// Sets a new limit for a deferred fetch, because other imports may bring the data now.
  ///
  /// - Parameter limit: The time at which the fetch begins even without an import; `nil` is never.
  /// - Returns: No actions, because observers see no difference.
  package mutating func stillDeferred(until limit: Instant?) -> EntryActions {
    if isDeferred { fetch?.stage = .deferred(until: limit) }
    return .none
  }

  /// Begins a deferred fetch, because no import or store brings the data.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions; none if no fetch is deferred.
  package mutating func released(in environment: Environment) -> EntryActions {
    guard isDeferred else { return .none }
    var actions = catchUp(in: environment)
    resumeDeferred(in: environment, &actions)
    return actions
  }

  /// Begins the first attempt of a deferred fetch, or pauses the fetch if it needs a network and there is
  /// none.
  mutating func resumeDeferred(in environment: Environment, _ actions: inout EntryActions) {
    guard isDeferred, var current = fetch else { return }
    actions.changed = true
    guard current.canBegin(in: environment) else {
      return pause(before: .firstAttempt, in: environment, &actions)
    }
    let hidesData = stash(&current)
    let isMarked = isBaseMarked(of: current)
    current.attemptBegan(overMark: isMarked)
    fetch = current
    actions.step = .attempt(current.id, hidesData: hidesData)
  }
}
