// Runs that are kept beyond the process, and runs that come before others although they began later.

extension MutationMachine {
  /// Whether the run waits, or will wait, until it is kept.
  var isToBeKept: Bool { keeping == .wanted }

  /// The run is kept, or need not be, so it may perform.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func kept(in environment: Environment) -> MutationActions {
    guard case .saving = phase else { return .none }
    keeping = runOptions.isDurable ? .kept : .none
    var actions = MutationActions()
    prepareOrEnter(in: environment, &actions)
    return actions
  }

  /// The run can never be kept as it is.
  ///
  /// - Parameters:
  ///   - isStored: Whether it is kept with an earlier input; it then waits for an answer.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func keepingFailed(
    isStored: Bool = false,
    in environment: Environment
  ) -> MutationActions {
    guard case .saving = phase else { return .none }
    var actions = MutationActions()
    if isStored { stop(&actions) } else { conclude(.failed, in: environment, &actions) }
    return actions
  }

  /// The next attempt was requested now: an answer to an error, or the end of a wait.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func retried(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    switch phase {
    case .stopped where reached < .prepared:
      failureCount = 0
      prepareOrEnter(in: environment, &actions)
    case .stopped, .waiting:
      notBefore = .distantPast
      goOn(in: environment, &actions)
    case .preparing, .saving, .queued, .paused, .running, .settling, .ended: break
    }
    return actions
  }

  /// Whether the run may become another request: no user code runs for it.
  package var canBeRebased: Bool { rests }

  /// The run got another input, so it is another request, which is kept before it performs.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func rebased(in environment: Environment) -> MutationActions {
    guard canBeRebased else { return .none }
    failureCount = 0
    return becomeAnother(in: environment)
  }

  /// The attempt failed, and the answer to its error is another input.
  ///
  /// It waits as before a retry, and failures are still counted, so that code that answers each error with
  /// another input sees how often it did.
  ///
  /// - Parameters:
  ///   - retryAfter: The wait before the next attempt.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func attemptRebased(
    retryAfter: TimeSpan,
    in environment: Environment
  ) -> MutationActions {
    guard case .running = phase else { return .none }
    phase = .stopped
    if isCancelRequested { return cancelRequested(in: environment) }
    failureCount += 1
    notBefore = environment.now.instant + retryAfter ?? environment.now.instant
    return becomeAnother(in: environment)
  }

  private mutating func becomeAnother(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    keeping = .wanted
    isHeld = false
    reached = min(reached, .prepared)
    enter(in: environment, &actions)
    return actions
  }

  /// Whether earlier versions of it need not be sent: only time and the network delay it, or it is kept.
  package var takesPrecedence: Bool {
    guard isUndecided, !isCancelRequested else { return false }
    return keeping == .kept || reached >= .prepared && keeping == .none
  }

  /// The end of its delay; not known after that.
  var delayEnd: Instant? {
    guard runOptions.delay != .zero, reached < .performed, failureCount == 0,
      notBefore > .distantPast
    else { return nil }
    return notBefore
  }

  /// Whether it is delayed, so that it may still be taken back.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: Whether its delay is not over.
  package func mayBeTakenBack(in environment: Environment) -> Bool {
    delayEnd.map { $0 > environment.now.instant } ?? false
  }

  /// Whether a request is under way.
  package var isAtWork: Bool { if case .running = phase { true } else { false } }

  /// Whether it goes on only after an answer of the user, or after a store is back.
  package var isStalled: Bool {
    switch phase {
    case .saving, .stopped: true
    case .preparing, .queued, .paused, .running, .waiting, .settling, .ended: false
    }
  }

  /// Whether its outcome is not decided, so that its layers show changes that the server does not
  /// have.
  package var isUndecided: Bool {
    switch phase {
    case .preparing, .saving, .queued, .paused, .running, .waiting, .stopped: true
    case .settling, .ended: false
    }
  }

  /// Whether a run that began later may come before it.
  package var canBeOvertaken: Bool {
    switch phase {
    case .preparing, .saving, .queued: true
    case .paused, .waiting: reached < .performed
    case .running, .stopped, .settling, .ended: false
    }
  }

  /// A run of an earlier process came before it in its scope.
  package mutating func overtaken() {
    guard canBeOvertaken else { return }
    isFirst = false
    switch phase {
    case .paused, .waiting: if !isHeld { phase = .queued }
    case .preparing, .saving, .queued, .running, .stopped, .settling, .ended: break
    }
  }
}
