// Durable runs, and runs that overtake earlier ones.

extension MutationMachine {
  /// Whether the run waits, or will wait, until the outbox has written it.
  var isToBeKept: Bool { keeping == .wanted }

  /// Lets the run perform, because the outbox has written it or need not write it.
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

  /// Fails or stops the run, because the outbox can never write the run with its present input.
  ///
  /// - Parameters:
  ///   - isStored: Whether the outbox has the run with an earlier input; then the run waits for a decision.
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

  /// Begins the next attempt now, if the run has stopped or is waiting.
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

  /// Whether the run may get another input, because no user code is running for the run.
  package var canBeRebased: Bool { rests }

  /// Continues the run with another input.
  ///
  /// That makes it another request, so the outbox writes the input before the run sends it.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func rebased(in environment: Environment) -> MutationActions {
    guard canBeRebased else { return .none }
    failureCount = 0
    return becomeAnother(in: environment)
  }

  /// Ends a failed attempt, because another input is to replace the one that failed.
  ///
  /// The run waits for `retryAfter`. Its failures are still counted, so that code that answers each error
  /// with another input sees how often it did so.
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
    // A wait of more than a hundred years never ends.
    let now = environment.now.instant
    notBefore = now + min(retryAfter, .longest) ?? now
    return becomeAnother(in: environment)
  }

  private mutating func becomeAnother(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    keeping = .wanted
    reached = min(reached, .prepared)
    enter(in: environment, &actions)
    return actions
  }

  /// Whether earlier runs that this run replaces need not be sent any more: the outbox has written this run,
  /// or only time and the network delay it.
  package var takesPrecedence: Bool {
    guard isUndecided, !isCancelRequested else { return false }
    return keeping == .kept || reached >= .prepared && keeping == .none
  }

  /// The end of the run's delay; `nil` when it has passed.
  var delayEnd: Instant? {
    guard runOptions.delay != .zero, reached < .performed, failureCount == 0,
      notBefore > .distantPast
    else { return nil }
    return notBefore
  }

  /// Whether the run's delay is not over, so that the caller may still take the run back.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: Whether its delay is not over.
  package func mayBeTakenBack(in environment: Environment) -> Bool {
    delayEnd.map { $0 > environment.now.instant } ?? false
  }

  /// Whether an attempt is running.
  package var isAtWork: Bool { if case .running = phase { true } else { false } }

  /// Whether the run has stopped because of an error, or waits until the outbox has written it.
  ///
  /// Both may last for ever.
  package var isStalled: Bool {
    switch phase {
    case .saving, .stopped: true
    case .preparing, .queued, .paused, .running, .waiting, .settling, .ended: false
    }
  }

  /// Whether the run is durable and waits after a failed attempt: it may be retried for ever.
  var isRefused: Bool {
    guard runOptions.isDurable, failureCount > 0, case .waiting = phase else { return false }
    return true
  }

  /// Whether the run has failed before it was given to the outbox, which may have it from an earlier process.
  var hasFailedUnkept: Bool {
    ending == .failed && keeping == .wanted && reached < .prepared
  }

  /// Whether the outcome of the run is not decided, so that the run's layers show changes that the
  /// server does not have.
  package var isUndecided: Bool {
    switch phase {
    case .preparing, .saving, .queued, .paused, .running, .waiting, .stopped: true
    case .settling, .ended: false
    }
  }

  /// Whether a run that began later may come before this run.
  package var canBeOvertaken: Bool {
    switch phase {
    case .preparing, .saving, .queued, .paused, .waiting: reached < .performed
    case .running, .stopped, .settling, .ended: false
    }
  }

  /// Moves this run back, because a run of an earlier process now precedes this run in the scope.
  ///
  /// - Returns: The actions.
  package mutating func overtaken() -> MutationActions {
    guard canBeOvertaken else { return .none }
    var actions = MutationActions()
    isFirst = false
    switch phase {
    case .waiting:
      phase = .queued
      actions.step = .pause
      actions.changed = true
    case .paused(isHeld: false): phase = .queued
    case .preparing(isHeldUp: false):
      phase = .preparing(isHeldUp: true)
      actions.changed = true
    case .preparing, .saving, .queued, .paused, .running, .stopped, .settling, .ended: break
    }
    return actions
  }
}
