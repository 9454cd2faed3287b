extension EntryMachine {
  /// The query of the next fetch or a retention was given.
  ///
  /// - Parameters:
  ///   - fetchOptions: The options of the next fetch; `nil` leaves them.
  ///   - gcTime: A requested retention; the longest one applies.
  package mutating func adopted(fetchOptions: FetchOptions?, gcTime: TimeSpan) {
    if let fetchOptions { self.fetchOptions = fetchOptions }
    self.gcTime = max(self.gcTime, gcTime)
  }

  /// The current fetch began without a function to call, and has one now.
  ///
  /// If nobody wants the fetch any more, the options of the query with that function decide about
  /// it.
  package mutating func fetchBecameKnown() {
    let abandonment = fetchOptions.abandonment
    fetch?.fetchOptions.abandonment = abandonment
  }

  /// A caller, an observer or the client asked for a fetch.
  ///
  /// - Parameters:
  ///   - cause: The reason.
  ///   - superseding: Whether a running fetch is replaced if there is data; otherwise it is joined.
  ///     Without data, and after ``supersessionLimit`` replacements in a row, it is joined in any
  ///     case.
  ///   - clientLease: Whether the client itself wants the fetch, although nobody observes the key.
  ///   - part: The part to fetch; a part is added to the data that is there.
  ///   - isAwaited: Whether a caller is going to await the fetch, with a lease on it.
  ///   - acceptsOlder: Whether the caller accepts an answer that began before an invalidation. If
  ///     not, one more fetch follows an answer that is too old. One more also follows if the caller
  ///     wanted to replace the fetch and joined it instead.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func requested(
    _ cause: FetchCause,
    superseding: Bool = false,
    clientLease: Bool = false,
    part: FetchPart = .whole,
    isAwaited: Bool = false,
    acceptsOlder: Bool = false,
    in environment: Environment
  ) -> EntryActions {
    var actions = catchUp(in: environment)
    request(
      cause,
      superseding: superseding,
      clientLease: clientLease,
      part: part,
      isAwaited: isAwaited,
      acceptsOlder: acceptsOlder,
      in: environment,
      &actions
    )
    return actions
  }

  /// A caller started waiting for the current fetch, with a lease on it.
  package mutating func waiterJoined() {
    guard !isIdle else { return }
    waiterCount += 1
    interestRegained()
  }

  /// Callers were answered, or wait for another fetch, although the current fetch continues.
  ///
  /// - Parameter count: How many leases remain.
  package mutating func waitersAnswered(leaving count: Int) {
    waiterCount = count
  }

  /// A waiting caller was cancelled.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func waiterLeft(in environment: Environment) -> EntryActions {
    // The fetch has ended already, and the caller's lease with it.
    guard waiterCount > 0 else { return .none }
    var actions = catchUp(in: environment)
    waiterCount -= 1
    interestLost(linger: nil, in: environment, &actions)
    return actions
  }

  /// The fetch that an answer is for; `nil` if it was superseded, cancelled or fenced, so that the
  /// answer is late.
  func running(_ id: FetchID) -> InFlight? {
    fetch.flatMap { $0.stage == .running && $0.id == id ? $0 : nil }
  }

  /// An attempt returned a value.
  ///
  /// - Parameters:
  ///   - id: The fetch; an outdated one is a no-op.
  ///   - age: The age of the value; `nil` is new.
  ///   - isAwaited: Whether a caller waits for the fetch that follows.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect of the value.
  package mutating func attemptSucceeded(
    _ id: FetchID,
    _ age: AnswerAge? = nil,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    guard !current.isOutdated else { return .restarted(restart(current, in: environment)) }
    var actions = catchUp(in: environment)
    let isAdded = current.part != .whole && hasData
    landed(current, isAdded: isAdded, age, at: environment.now.instant)
    hasData = true
    dataUpdatedAt = age.map { $0.date(at: environment.now) } ?? environment.now
    succeed(current, age, as: .succeeded, isAwaited: isAwaited, in: environment, &actions)
    return .landed(actions)
  }

  /// An attempt found that the data is still good.
  ///
  /// - Parameters:
  ///   - id: The fetch; an outdated one is a no-op.
  ///   - age: The age of that finding; `nil` is new.
  ///   - isAwaited: Whether a caller waits for the fetch that follows.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect; without data to keep, the fetch failed.
  package mutating func attemptKept(
    _ id: FetchID,
    _ age: AnswerAge? = nil,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard let current = running(id) else { return .late }
    guard !current.isOutdated else { return .restarted(restart(current, in: environment)) }
    let kept = hasData ? extent : current.undo.stashed?.extent ?? .nothing
    // If this attempt has shown a part, or the stream is endless, the part is all of the data. A
    // part that an earlier fetch left is not.
    let isAll = current.attempt.deliveringSince != nil || current.fetchOptions.delivery == .endless
    guard kept == .whole || kept == .part && isAll else {
      return attemptFailed(id, retryAfter: nil, in: environment)
    }
    var actions = catchUp(in: environment)
    unstash(current, &actions)
    hasData = true
    // If there was a write during the attempt, the answer is about the data before it, and the
    // write has its own age and mark.
    if !current.attempt.wasWritten {
      let updatedAt = age.map { $0.date(at: environment.now) } ?? environment.now
      // The date only moves forward: an answer that is older than the data does not make the data
      // older.
      if updatedAt.instant > dataUpdatedAt.instant { dataUpdatedAt = updatedAt }
      if current.part == .whole || age != nil {
        landed(current, isAdded: current.part != .whole, age, at: environment.now.instant)
      } else if !isKnownToHaveChanged {
        // A page that is still good says nothing about the other pages, but the failure is over.
        mark = .none(toldUntil: environment.now.instant)
      }
    }
    succeed(current, age, as: .kept, isAwaited: isAwaited, in: environment, &actions)
    return .landed(actions)
  }

  /// Whether another fetch is to follow the answer of a fetch, only for observers.
  package func isFollowedForObservers(_ id: FetchID) -> Bool {
    guard let current = running(id) else { return false }
    guard !current.hasClientLease else { return false }
    return current.attempt.isAskedAnew
      || current.successor != nil && current.successorPart == .whole
  }

  /// The answer that is about to land disables all observers, so no fetch follows it.
  package mutating func observersTurnOff(_ id: FetchID) {
    guard isFollowedForObservers(id) else { return }
    if fetch?.successorPart == .whole { fetch?.successor = nil }
    fetch?.attempt.isAskedAnew = false
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

  /// An attempt failed.
  ///
  /// - Parameters:
  ///   - id: The fetch; an outdated one is a no-op.
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
    guard !current.isOutdated else { return .restarted(restart(current, in: environment)) }
    var actions = catchUp(in: environment)
    failureCount += 1
    tick(at: environment.now.instant)
    actions.changed = true
    if let retryAfter, !current.stopsRetrying, let until = environment.now.instant + retryAfter {
      fetch?.stage = .waiting(until: until)
      fetch?.keepsPart = keepsPart
      return .retrying(actions, after: retryAfter)
    }
    fail(in: environment, &actions)
    return .failed(actions)
  }

  /// The task of an attempt was cancelled: that is no error (contract law 10).
  ///
  /// - Parameters:
  ///   - id: The fetch; an outdated one is a no-op.
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

  /// An attempt found nothing to do: the fetch ends as if it had not begun, and a fetch that was
  /// requested meanwhile follows.
  ///
  /// - Parameters:
  ///   - id: The fetch; an outdated one is a no-op.
  ///   - isAwaited: Whether a caller waits for the value, which is fetched next.
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

  /// A caller cancelled the entry's fetch.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions; none if no fetch is in flight.
  package mutating func cancelRequested(in environment: Environment) -> EntryActions {
    var actions = catchUp(in: environment)
    cancelCurrent(in: environment, &actions)
    return actions
  }
}
