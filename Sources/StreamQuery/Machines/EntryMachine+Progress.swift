extension EntryMachine {
  /// The extent of the data: whole, or a part of an answer.
  ///
  /// Observers see a part while the rest arrives, and the part's age decides whether it is fresh. But a part
  /// never answers a caller, and is stale at any age if no fetch brings the rest. A part of an endless stream
  /// counts as whole while the stream delivers.
  enum Extent: Equatable, Sendable {
    /// There is no data.
    case nothing
    /// There is no data, because it was removed, and no fetch has been requested since then.
    case removed
    /// There is a part of the value; the rest is to come, or did not arrive.
    case part
    case whole
  }

  /// Whether the data can answer a caller that accepts its age: it is whole, or a part of an endless stream.
  @inline(__always)
  var isAnswer: Bool { extent == .whole || extent == .part && fetchOptions.delivery == .endless }

  /// Whether the data is a part whose rest is not being fetched.
  @inline(__always)
  var isIncomplete: Bool { extent == .part && isIdle }

  /// Whether the data is a part whose rest is being fetched.
  ///
  /// A paused fetch does not count, because the pause may be long; nor does an endless stream, because it has
  /// no rest.
  @inline(__always)
  var isArriving: Bool {
    extent == .part && isFetching && fetch?.fetchOptions.delivery != .endless
  }

  /// Whether the stream of an endless fetch delivers: the data is the newest that there is.
  // This is inlined, because the machine is a large value, and a call would copy it.
  @inline(__always)
  var isLive: Bool {
    guard extent == .part, let current = fetch, current.fetchOptions.delivery == .endless else {
      return false
    }
    guard current.stage == .running, current.attempt.standing != .outdated else { return false }
    return current.attempt.deliveringSince != nil
  }

  /// Whether a request for a fetch is answered at once, by an endless stream that delivers and is new enough.
  ///
  /// - Parameter joining: The fetches in flight that the request joins.
  /// - Returns: Whether the caller need not wait.
  @inline(__always)
  func isAnswered(joining: Joining) -> Bool {
    isLive && (joining == .any || joining == .upToDate && !staysMarked)
  }

  /// Shows a part of a value that arrived; the fetch continues.
  ///
  /// The part stays even if the fetch fails or is cancelled: from now on, a cancellation restores this part.
  ///
  /// - Parameters:
  ///   - id: The fetch; does nothing if it is no longer in flight.
  ///   - age: The age of the part; `nil` if the part is new.
  ///   - isAwaited: Whether a caller waits for the fetch that was requested to follow this one.
  ///   - environment: The environment at the transaction.
  /// - Returns: The effect of the part.
  package mutating func attemptProgressed(
    _ id: FetchID,
    _ age: AnswerAge? = nil,
    isAwaited: Bool = false,
    in environment: Environment
  ) -> AttemptOutcome {
    guard var current = running(id) else { return .late }
    guard current.attempt.standing != .outdated else {
      return .restarted(restart(current, in: environment))
    }
    var actions = catchUp(in: environment)
    extent = .part
    dataUpdatedAt = age.map { $0.date(at: environment.now) } ?? environment.now
    dataUpdateCount += 1
    isError = false
    landed(current, isAdded: false, age, at: environment.now.instant)
    current.undo = InFlight.Undo(
      isError: false,
      failureCount: 0,
      cause: cause,
      part: part
    )
    current.supersessions = 0
    current.attempt.deliveringSince = current.attempt.deliveringSince ?? environment.now.instant
    fetch = current
    actions.changed = true
    if current.fetchOptions.delivery == .endless {
      current.answered(age)
      delivered(current, isAwaited: isAwaited, in: environment, &actions)
    }
    return .landed(actions)
  }

  /// Answers the callers with an element of an endless stream, and ends the client's own request for the
  /// fetch.
  ///
  /// The stream goes on while it is observed. If a newer fetch was requested, it replaces the stream now,
  /// because the stream has no end after which it could follow.
  private mutating func delivered(
    _ current: InFlight,
    isAwaited: Bool,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    waiterCount = 0
    pollFailureCount = 0
    // If nobody wanted the stream before this element, its abandonment policy applies already, and is not
    // applied again.
    if let cause = current.successor, isActive || current.hasClientLease || isAwaited {
      actions.cancelled = .gone(current.id)
      let clientLease = current.hasClientLease
      startFetch(cause, clientLease: clientLease, part: .whole, in: environment, &actions)
    } else {
      fetch?.successor = nil
      fetch?.attempt.requestDropped()
      if current.hasClientLease { fetch?.claim = .shared }
      if !current.isAbandoned { interestLost(linger: nil, in: environment, &actions) }
    }
    actions.ended = .delivered
  }

  /// Counts retries from zero again, because an endless stream has delivered for longer than any wait for a
  /// retry.
  ///
  /// - Parameter id: The fetch; does nothing if it is no longer in flight.
  package mutating func retriesCountAnew(_ id: FetchID) {
    if running(id) != nil { failureCount = 0 }
  }

  /// Hides the data if the fetch that starts has the option `resetsData`: then the entry is pending again.
  ///
  /// Initial data is not hidden: no fetch has brought it, so this is the first fetch and no
  /// refetch.
  ///
  /// - Returns: Whether the data is hidden now.
  mutating func stash(_ current: inout InFlight) -> Bool {
    guard current.fetchOptions.resetsData, hasData, dataUpdateCount > 0 else { return false }
    current.undo.stashed = InFlight.Stashed(
      extent: extent,
      updatedAt: dataUpdatedAt,
      updateCount: dataUpdateCount
    )
    hasData = false
    isError = false
    dataUpdatedAt = .never
    dataUpdateCount = 0
    return true
  }

  /// Forgets the stashed data, because other data replaced it.
  mutating func forgetStashed() {
    if !isIdle, fetch?.undo.stashed != nil { fetch?.undo.stashed = nil }
  }

  /// Whether the present data is at least as new as other data.
  ///
  /// Hidden data and arriving parts count as present.
  ///
  /// - Parameters:
  ///   - date: The date of the other data, in seconds since the reference date.
  ///   - now: The current date; a later date of the present data counts as this one.
  /// - Returns: Whether the present data stays.
  package func isNoOlder(than date: Double, at now: Double) -> Bool {
    let current = isIdle ? nil : fetch
    if current?.stage == .running, current?.attempt.deliveringSince != nil { return true }
    let updatedAt = hasData ? dataUpdatedAt : current?.undo.stashed?.updatedAt
    return updatedAt.map { min($0.date, now) >= date } ?? false
  }

  /// Restores the data that a fetch hid, because the fetch was cancelled or found that the data is good.
  mutating func unstash(_ current: InFlight, _ actions: inout EntryActions) {
    guard let stashed = current.undo.stashed, !hasData else { return }
    isError = current.undo.isError
    extent = stashed.extent
    dataUpdatedAt = stashed.updatedAt
    dataUpdateCount = stashed.updateCount
    actions.unstashed = true
  }
}
