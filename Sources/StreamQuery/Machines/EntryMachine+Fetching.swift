extension EntryMachine {
  /// The fetches in flight that a request joins.
  package enum Joining: Hashable, Sendable {
    /// All fetches.
    case any
    /// All fetches. One more fetch follows if the answer of the joined fetch began before an invalidation.
    case upToDate
    /// A fetch of an entry without data, and the fetch that follows ``EntryMachine/supersessionLimit``
    /// replacements in a row. The request replaces any other fetch.
    ///
    /// One more fetch follows a joined fetch if there is data and the answer has begun.
    case irreplaceable
    /// None: the request replaces any fetch, because the answer of that fetch must not become the data.
    case none

    /// Makes the value for the argument `superseding` of a call.
    package init(superseding: Bool) { self = superseding ? .irreplaceable : .upToDate }
  }

  /// Takes over the options of a query for the next fetch, and a longer retention.
  ///
  /// - Parameters:
  ///   - fetchOptions: The options of the next fetch; `nil` leaves them.
  ///   - gcTime: A requested retention; the longest one applies.
  package mutating func adopted(fetchOptions: FetchOptions?, gcTime: TimeSpan) {
    if let fetchOptions { self.fetchOptions = fetchOptions }
    self.gcTime = max(self.gcTime, gcTime)
  }

  /// Applies a query's `abandonment` to the current fetch, which began without a fetch function and now has
  /// that of the query.
  package mutating func fetchBecameKnown() {
    let abandonment = fetchOptions.abandonment
    fetch?.fetchOptions.abandonment = abandonment
  }

  /// Starts, joins or replaces a fetch, because a caller, an observer or the client asked for one.
  ///
  /// - Parameters:
  ///   - cause: The reason for the fetch.
  ///   - joining: The fetches in flight that the request joins.
  ///   - clientLease: Whether the client itself wants the fetch, even if nobody observes the key.
  ///   - part: The part to fetch; a part is added to the data that is there.
  ///   - isAwaited: Whether a caller is going to await the fetch.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func requested(
    _ cause: FetchCause,
    joining: Joining = .upToDate,
    clientLease: Bool = false,
    part: FetchPart = .whole,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    request(
      cause,
      joining: joining,
      clientLease: clientLease,
      part: part,
      isAwaited: isAwaited,
      in: environment,
      &actions
    )
    return actions
  }

  /// Counts a caller that waits for the current fetch; the fetch is not abandoned while such a caller waits.
  package mutating func waiterJoined() {
    guard !isIdle else { return }
    waiterCount += 1
    interestRegained()
  }

  /// Lowers the count of callers that wait for the current fetch, because some were answered or wait for
  /// another.
  ///
  /// - Parameter count: How many callers still wait.
  package mutating func waitersAnswered(leaving count: Int) {
    waiterCount = count
  }

  /// Forgets a waiting caller that was cancelled; if nobody else wants the fetch, the fetch's options decide
  /// whether the fetch goes on.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func waiterLeft(in environment: Environment) -> EntryActions {
    // A count of zero means that the fetch has already ended.
    guard waiterCount > 0 else { return .none }
    var actions = catchUp(in: environment)
    waiterCount -= 1
    interestLost(linger: nil, in: environment, &actions)
    return actions
  }

  /// The current fetch, if it has this number and an attempt runs.
  ///
  /// If not, the result is `nil`: an answer of the fetch with this number is late, and has no effect.
  func running(_ id: FetchID) -> InFlight? {
    fetch.flatMap { $0.stage == .running && $0.id == id ? $0 : nil }
  }

  /// Makes the value that an attempt returned the new data, and ends the fetch.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - age: The age of the value; `nil` if the value is new.
  ///   - isAwaited: Whether a caller waits for the fetch that was requested to follow this one.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect of the value.
  package mutating func attemptSucceeded(
    _ id: FetchID,
    _ age: AnswerAge? = nil,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    guard current.attempt.standing != .outdated else {
      return .restarted(restart(current, in: environment))
    }
    var actions = catchUp(in: environment)
    let isAdded = current.part != .whole && hasData
    landed(current, isAdded: isAdded, age, at: environment.now.instant)
    hasData = true
    dataUpdatedAt = age.map { $0.date(at: environment.now) } ?? environment.now
    succeed(current, age, as: .succeeded, isAwaited: isAwaited, in: environment, &actions)
    return .landed(actions)
  }

  /// Ends the fetch and keeps the data, because an attempt found that the data is still good.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - age: How long ago the data was found to be good; `nil` if that was now.
  ///   - isAwaited: Whether a caller waits for the fetch that was requested to follow this one.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect; a failure if there is no data to keep.
  package mutating func attemptKept(
    _ id: FetchID,
    _ age: AnswerAge? = nil,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    guard current.attempt.standing != .outdated else {
      return .restarted(restart(current, in: environment))
    }
    let kept = hasData ? extent : current.undo.stashed?.extent ?? .nothing
    // If this attempt has shown a part, or the stream is endless, the part is all of the data. A part that an
    // earlier fetch left is not all.
    let isAll = current.attempt.deliveringSince != nil || current.fetchOptions.delivery == .endless
    guard kept == .whole || kept == .part && isAll else {
      return attemptFailed(id, retryAfter: nil, in: environment)
    }
    var actions = catchUp(in: environment)
    unstash(current, &actions)
    hasData = true
    // If there was a write during the attempt, the answer is about older data; the written data keeps its
    // date and its mark.
    if !current.attempt.wasWritten {
      let updatedAt = age.map { $0.date(at: environment.now) } ?? environment.now
      // The date only moves forward: an answer that is older than the data does not make the data
      // older.
      if updatedAt.instant > dataUpdatedAt.instant { dataUpdatedAt = updatedAt }
      if current.part == .whole || age != nil {
        landed(current, isAdded: current.part != .whole, age, at: environment.now.instant)
      } else if !isKnownToHaveChanged {
        // An answer about one page does not make the other pages valid, but clears the mark that a failed
        // refetch has left.
        mark = .none(toldUntil: environment.now.instant)
      }
    }
    succeed(current, age, as: .kept, isAwaited: isAwaited, in: environment, &actions)
    return .landed(actions)
  }

  /// Whether one more fetch will follow the given one, for observers only and not for callers.
  package func isFollowedForObservers(_ id: FetchID) -> Bool {
    guard let current = running(id) else { return false }
    guard !current.hasClientLease else { return false }
    return current.attempt.standing == .askedAnew
      || current.successor != nil && current.successorPart == .whole
  }

  /// Drops the fetch that would follow for observers, because the new data is about to disable them all.
  package mutating func observersTurnOff(_ id: FetchID) {
    guard isFollowedForObservers(id) else { return }
    if fetch?.successorPart == .whole { fetch?.successor = nil }
    fetch?.attempt.requestDropped()
  }

  private mutating func succeed(
    _ current: InFlight,
    _ age: AnswerAge?,
    as ending: FetchEnding,
    isAwaited: Bool,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    dataUpdateCount += 1
    isError = false
    failureCount = 0
    pollFailureCount = 0
    endFetch(ending, in: environment, &actions)
    var current = current
    current.answered(age)
    startSuccessor(current, isAwaited: isAwaited, in: environment, &actions)
  }

  /// Counts a failed attempt, then waits for the next attempt or ends the fetch.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is none.
  ///   - keepsPart: Whether the next attempt continues from the progress of this one.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect of the failure.
  package mutating func attemptFailed(
    _ id: FetchID,
    retryAfter: TimeSpan?,
    keepsPart: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    guard current.attempt.standing != .outdated else {
      return .restarted(restart(current, in: environment))
    }
    var actions = catchUp(in: environment)
    failureCount += 1
    tick(at: environment.now.instant)
    actions.changed = true
    if let retryAfter, !current.stopsRetrying, let until = environment.now.instant + retryAfter {
      fetch?.stage = .waiting(until: until)
      fetch?.beginning = keepsPart ? .continued : .anew
      return .retrying(actions, after: retryAfter)
    }
    fail(in: environment, &actions)
    return .failed(actions)
  }

  /// Ends the fetch because its task was cancelled; a cancellation is no error.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect on the fetch.
  package mutating func attemptCancelled(
    _ id: FetchID,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    var actions = catchUp(in: environment)
    undo(current, &actions)
    endFetch(.cancelled, in: environment, &actions)
    return .cancelled(actions)
  }

  /// Ends the fetch as if it had not begun, because its attempt found nothing to do; a fetch that was
  /// requested meanwhile follows.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - isAwaited: Whether a caller waits for a value, so that another fetch follows in any case.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect on the fetch.
  package mutating func attemptFoundNothing(
    _ id: FetchID,
    isAwaited: Bool,
    in environment: Environment
  ) -> AttemptOutcome {
    guard var current = running(id) else { return .late }
    var actions = catchUp(in: environment)
    undo(current, &actions)
    endFetch(.nothing, in: environment, &actions)
    current.successor = current.successor ?? (isAwaited ? .manual : current.joined)
    startSuccessor(current, isAwaited: isAwaited, in: environment, &actions)
    return .cancelled(actions)
  }

  /// Cancels the fetch in flight, and restores the state before it.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions; none if no fetch is in flight.
  package mutating func cancelRequested(in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    cancelCurrent(in: environment, &actions)
    return actions
  }
}
