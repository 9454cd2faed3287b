extension EntryMachine {
  /// Marks a running attempt as outdated, so that its answer is dropped, because the server's data changed.
  ///
  /// The attempt goes on until it answers or until ``outdatedRestarted(isInLine:in:)``: the code that made
  /// the change often requests a refetch right after it, and that refetch replaces the attempt. A fetch
  /// without a running attempt is replaced by a new one.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func outdated(in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    guard var current = fetch else { return actions }
    if current.stage == .running {
      current.attempt.standing = .outdated
    } else {
      actions.cancelled = .restarted(current.id)
      fetchSerial &+= 1
      current.id = FetchID(rawValue: fetchSerial)
      // Parts from earlier attempts do not count, and the next attempt begins anew.
      if current.beginning == .continued { current.beginning = .anew }
    }
    fetch = current
    return actions
  }

  /// Restarts an outdated fetch before it answers.
  ///
  /// - Parameters:
  ///   - isInLine: Whether the attempt still waits until the limit of fetches allows it; the new fetch then
  ///     keeps the number of failures.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions; none if the fetch in flight is not outdated.
  package mutating func outdatedRestarted(
    isInLine: Bool = false,
    in environment: Environment
  ) -> EntryActions {
    guard let current = fetch, current.stage == .running, current.attempt.standing == .outdated
    else { return .none }
    let failures = failureCount
    let actions = restart(current, in: environment)
    if isInLine { failureCount = failures }
    return actions
  }

  /// Restarts a fetch, for all callers that wait for it.
  mutating func restart(_ current: InFlight, in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    actions.cancelled = .restarted(current.id)
    startFetch(
      cause ?? .manual,
      clientLease: current.hasClientLease,
      part: current.part,
      undo: current.undo,
      in: environment,
      &actions
    )
    // If the callers have given up the old fetch, they have given up the new one too.
    fetch?.claim = current.claim
    fetch?.supersessions = current.supersessions
    fetch?.joined = current.joined
    if current.successorPart != .whole {
      fetch?.successor = current.successor
      fetch?.successorPart = current.successorPart
    }
    return actions
  }

  /// The number of the fetch that started last, whether or not it is still in flight.
  package var newestFetch: UInt32 { fetchSerial }
}
