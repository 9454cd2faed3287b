// The steps that several inputs share: each adds to the actions of its input.
extension EntryMachine {
  mutating func request(
    _ cause: FetchCause,
    joining: Joining = .upToDate,
    clientLease: Bool = false,
    part: FetchPart = .whole,
    isAwaited: Bool = false,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    guard var current = fetch else {
      return startFetch(cause, clientLease: clientLease, part: part, in: environment, &actions)
    }
    // An endless stream that is too old is replaced, because it has no end after which a newer
    // fetch could follow.
    let isReplaced = joining == .irreplaceable || joining == .upToDate && isLive && staysMarked
    if joining == .none || isReplaced && isReplaceable {
      actions.cancelled = .gone(current.id)
      startFetch(
        cause,
        clientLease: clientLease || current.hasClientLease,
        part: part,
        in: environment,
        &actions
      )
      fetch?.supersessions = min(current.supersessions + 1, Self.supersessionLimit)
      if part != .whole { fetch?.joined = current.joined }
    } else {
      let isTooOld =
        joining != .any && staysMarked
        || joining == .irreplaceable && hasData && current.hasBegunAnswer
      if part == .whole ? isTooOld : joining == .irreplaceable && hasData && part != current.part {
        // If two requests want different parts, the later request counts, just as a later fetch replaces an
        // earlier one.
        if current.successorPart != part { current.successor = nil }
        current.successor = current.successor ?? cause
        current.successorPart = part
      }
      if current.attempt.standing == .overtaken { current.attempt.standing = .askedAnew }
      if part == .whole, current.part != .whole { current.joined = current.joined ?? cause }
      // If the stream delivers already, the client has the data and need not request the fetch.
      let isLeased = current.hasClientLease || clientLease && !isLive
      current.claim = isLeased ? .leased : .shared
      fetch = current
      // After a reconnect, fetches wait until mutations have run. A fetch that a caller requests meanwhile
      // does not wait: the caller may be one of these mutations.
      if isPaused { proceed(isAwaited: isAwaited, in: environment, &actions) }
    }
  }

  /// Starts a fetch.
  ///
  /// A cancellation of the fetch restores the state in `undo`. Without `undo`, it restores the present state,
  /// even if the fetch replaces another one.
  mutating func startFetch(
    _ cause: FetchCause,
    clientLease: Bool,
    part: FetchPart,
    undo: InFlight.Undo? = nil,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    fetchSerial &+= 1
    var current = InFlight(
      id: FetchID(rawValue: fetchSerial),
      fetchOptions: fetchOptions,
      claim: clientLease ? .leased : .shared,
      part: part,
      undo: undo
        ?? InFlight.Undo(
          // If there is no data, a fetch that this one replaces may have removed the error and hidden the
          // data. So both are taken from its `undo`.
          isError: hasData ? isError : fetch?.undo.isError ?? isError,
          failureCount: failureCount,
          cause: fetch?.undo.cause ?? self.cause,
          part: self.part,
          stashed: hasData ? nil : fetch?.undo.stashed
        )
    )
    current.baseWasMarked = isBaseMarked(of: current)
    current.lingerPromise = lingerPromise
    self.cause = cause
    self.part = part
    if isRemoved { extent = .nothing }
    failureCount = 0
    // If a first fetch starts again, the entry is pending again. A refetch keeps the error beside
    // its data.
    if !hasData { isError = false }
    tick(at: environment.now.instant)
    actions.changed = true
    if current.canBegin(in: environment) {
      actions.step = .attempt(current.id, hidesData: stash(&current))
    } else {
      current.stage = .paused(before: .firstAttempt)
      actions.step = .pause
    }
    fetch = current
  }

  /// Starts the successor of a fetch, if one was requested and somebody still wants it.
  ///
  /// A successor was requested if a caller joined a fetch that was too old, or asked for another part.
  mutating func startSuccessor(
    _ current: InFlight,
    isAwaited: Bool,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    let part = current.successorPart
    guard let cause = current.successor,
      isActive || current.hasClientLease || isAwaited || part != .whole && !current.isAbandoned
    else { return }
    startFetch(cause, clientLease: current.hasClientLease, part: part, in: environment, &actions)
    if part != .whole { fetch?.joined = current.joined }
  }

  mutating func fail(in environment: Environment, _ actions: inout EntryActions) {
    isError = true
    errorUpdatedAt = environment.now
    errorUpdateCount += 1
    if cause == .interval { pollFailureCount += 1 }
    let current = fetch
    let hidden = hasData ? nil : current?.undo.stashed?.updatedAt.instant
    let invalidates = hidden != nil || current?.fetchOptions.failureInvalidates ?? true
    if invalidates, !isKnownToHaveChanged, hidden != nil || !isInvalidated {
      mark = .failed(hiding: hidden)
    }
    endFetch(.failed, in: environment, &actions)
    if let current, current.successorPart != .whole {
      startSuccessor(current, isAwaited: false, in: environment, &actions)
    }
  }

  mutating func cancelCurrent(in environment: Environment, _ actions: inout EntryActions) {
    guard let current = fetch else { return }
    actions.cancelled = .gone(current.id)
    undo(current, &actions)
    endFetch(.cancelled, in: environment, &actions)
  }

  mutating func undo(_ current: InFlight, _ actions: inout EntryActions) {
    unstash(current, &actions)
    // Only the changes of the fetch itself are undone. A write or an invalidation in between stays,
    // even if there is no data: an archive may bring older data next.
    if !hasData { isError = current.undo.isError }
    failureCount = current.undo.failureCount
    cause = current.undo.cause
    part = current.undo.part
  }

  mutating func endFetch(
    _ ending: FetchEnding,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    fetch = nil
    tick(at: environment.now.instant)
    // The waiters get their answers now; nobody waits for the next fetch yet.
    waiterCount = 0
    actions.ended = ending
    actions.changed = true
    if !isWanted { unwantedSince = environment.now.instant }
  }

  /// Whether a fetch may continue after a wait.
  ///
  /// Fetches for callers that await the data, and for observers that poll in the background, also go on while
  /// the app is inactive.
  // This is inlined, because the machine is a large value, and a call would copy it.
  @inline(__always)
  func canContinue(_ current: InFlight, in environment: Environment) -> Bool {
    (environment.isActive || waiterCount > 0 || pollsInBackground)
      && (current.fetchOptions.networkMode == .always || environment.isOnline)
  }

  /// Whether some observer polls while the app is inactive.
  @inline(__always)
  private var pollsInBackground: Bool {
    // The loop uses indices, so that reading a group does not copy it.
    for index in groups.indices where groups[index].resolvedOptions.pollsInBackground {
      return true
    }
    return false
  }

  /// Continues after a retry wait or a pause, if the environment and the fetch's options allow it.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether a caller is about to await the fetch.
  ///   - environment: The environment at the transaction.
  ///   - actions: The actions.
  mutating func proceed(
    isAwaited: Bool = false,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    guard var current = fetch, let next = current.next else { return }
    var environment = environment
    if isAwaited { environment.isActive = true }
    guard canContinue(current, in: environment) else {
      if !isPaused { pause(before: next, in: environment, &actions) }
      return
    }
    if isPaused { tick(at: environment.now.instant) }
    if current.stopsRetrying, next == .retry {
      // An attempt that is given up counts as one more failure, as if it had been made.
      failureCount += 1
      return fail(in: environment, &actions)
    }
    let hidesData = next == .firstAttempt && stash(&current)
    let isMarked = isBaseMarked(of: current)
    current.attemptBegan(overMark: isMarked)
    fetch = current
    actions.step = .attempt(current.id, hidesData: hidesData)
    actions.changed = true
  }

  /// Begins an attempt that waited until the limit of fetches allowed it, or pauses the fetch.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: No action if the attempt begins; a pause if the network or the app does not allow one, or the
  ///   cancellation of a first load that was given up.
  package mutating func turnCame(in environment: Environment) -> EntryActions {
    var actions = EntryActions()
    guard let current = fetch, current.stage == .running else { return actions }
    if failureCount > 0 {
      if !canContinue(current, in: environment) { pause(before: .retry, in: environment, &actions) }
    } else if !current.canBegin(in: environment) {
      pause(before: .firstAttempt, in: environment, &actions)
    }
    attemptBegan()
    return actions
  }

  /// Sets the beginning of the running attempt to now, because the limit of fetches had delayed it.
  package mutating func attemptBegan() {
    guard stage == .running, var current = fetch else { return }
    let isMarked = isBaseMarked(of: current)
    current.attemptBegan(overMark: isMarked)
    fetch = current
  }

  /// Pauses the fetch in flight, unless it is a first load that was given up: nobody waits for that.
  mutating func pause(
    before next: Pause,
    in environment: Environment,
    _ actions: inout EntryActions
  ) {
    if !hasData, fetch?.stopsRetrying == true { return cancelCurrent(in: environment, &actions) }
    fetch?.stage = .paused(before: next)
    actions.step = .pause
    actions.changed = true
    tick(at: environment.now.instant)
  }

  mutating func tick(at now: Instant) {
    lastTick = now
    for index in groups.indices where !groups[index].bases.isEmpty {
      groups[index].bases.removeAll(keepingCapacity: true)
    }
  }
}
