/// Decides everything about one run of a mutation: when it performs, waits, pauses and ends.
///
/// The machine is pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are
/// facts with the environment as a parameter; outputs are ``MutationActions``. Input, output and errors are
/// stored next to it. ``RunQueue`` knows the order of the runs of a scope.
///
/// | input \ phase | preparing | saving | queued | paused | running | waiting | stopped | settling |
/// |---|---|---|---|---|---|---|---|---|
/// | `prepared` | enter | – | – | – | – | – | – | – |
/// | `preparationFailed` | stop or conclude | – | – | – | – | – | – | – |
/// | `kept` | – | enter | – | – | – | – | – | – |
/// | `keepingFailed` | – | stop or conclude | – | – | – | – | – | – |
/// | `reachedFront` | remember | remember | enter | – | – | – | – | – |
/// | `overtaken` | remember | remember | – | queue | – | queue | – | – |
/// | `attemptSucceeded` | – | – | – | – | conclude | – | – | – |
/// | `attemptFailed` | – | – | – | – | wait, stop or conclude | – | – | – |
/// | `timeReached` | remember | remember | remember | remember | – | enter | remember | – |
/// | `environmentChanged` | remember | – | – | perform | – | – | – | – |
/// | `released` | – | – | – | begin | – | – | – | – |
/// | `retried` | – | – | – | – | – | enter | enter or prepare | – |
/// | `rebased` | – | save | save | save | – | save | save | – |
/// | `cancelRequested` | cancel task | conclude | conclude | conclude | cancel task | conclude | conclude | – |
/// | `callbacksEnded` | – | – | – | – | – | – | – | end |
///
/// To enter means to save, queue, wait, pause or perform: the first that is necessary. To conclude means to
/// settle, which runs the callbacks, or to end at once if there are none. A dash is a no-op, and so is every
/// input but `timeReached` (retention) in `ended`.
package struct MutationMachine: Equatable, Sendable {
  /// The phase of the run.
  package enum Phase: Equatable, Sendable {
    /// `onMutate` is running. When it returns, this leads to `running`, `paused` or `queued`; if it
    /// throws, the run is concluded.
    ///
    /// - isHeldUp: Whether the run could not perform now, even if `onMutate` had returned.
    case preparing(isHeldUp: Bool)
    /// The run waits until the outbox has written it or, if it is not durable, until the outbox
    /// knows which runs come before it.
    case saving
    /// The run waits until it is the first in its scope.
    case queued
    /// The run waits for the network or the app; leads to `running` when both allow it.
    ///
    /// - isHeld: Whether the run waits for ``MutationMachine/released(in:)`` before it begins.
    case paused(isHeld: Bool)
    /// An attempt is running; leads to `waiting` if it is retried, otherwise the run is concluded.
    case running
    /// The run waits before its first attempt, or between attempts; leads to `running` or `paused`
    /// when the time comes.
    case waiting(until: Instant)
    /// A durable run failed, and waits until it is retried, gets another input or is cancelled.
    case stopped
    /// The outcome is decided; the callbacks run.
    case settling(Ending)
    /// The run is over; it is forgotten after its retention.
    case ended(Ending)
  }

  /// The end of a run.
  package enum Ending: Hashable, Sendable {
    /// The run returned an output.
    case succeeded
    /// The last attempt of the run, or its preparation, failed.
    case failed
    /// The run was cancelled before it had an output.
    case cancelled
  }

  /// The points that a run passes, in their order.
  enum Milestone: Comparable, Sendable {
    case begun
    /// `onMutate` has returned, or there is none.
    case prepared
    /// An attempt has begun.
    case performed
  }

  /// Whether the outbox has a record of a run.
  package enum Keeping: Hashable, Sendable {
    case none
    /// The outbox has still to write the run or, if the run is not durable, to find which runs come before
    /// it. The run performs only after that: see ``kept(in:)``.
    case wanted
    case kept
  }

  package internal(set) var phase: Phase
  // Flags are stored next to the phase, and counts next to the options. In this order a run takes a quarter
  // less memory, which it keeps until long after its end.
  /// Whether the run was cancelled while one of its tasks was at work: then the task decides how
  /// the run ends.
  package private(set) var isCancelRequested = false
  /// Whether the run is first in its scope, or has no scope.
  var isFirst: Bool
  /// The last milestone that the run has reached.
  var reached: Milestone
  var keeping: Keeping
  /// The options with which the run was started.
  package private(set) var runOptions: RunOptions
  /// The number of handles and streams that follow the run; while there are any, the run is kept.
  package private(set) var followerCount: Int32 = 0
  /// Failed attempts since the start, including the last one if the run failed.
  package internal(set) var failureCount = 0
  /// The time before which the first attempt does not begin.
  var notBefore = Instant.distantPast
  /// The time since which the run has been over and nobody has followed it.
  var unwantedSince: Instant

  /// Creates the machine of a run that was just requested; ``begun(in:)`` starts it.
  ///
  /// - Parameters:
  ///   - runOptions: The options of the run.
  ///   - isFirst: Whether the run is first in its scope, or has no scope.
  ///   - isHeld: Whether it begins only after ``released(in:)``.
  ///   - keeping: Whether the outbox has a record of it, or has to write one.
  ///   - submittedAt: The time when it was started, if not now.
  ///   - now: The time of the transaction.
  package init(
    runOptions: RunOptions,
    isFirst: Bool,
    isHeld: Bool = false,
    keeping: Keeping = .none,
    submittedAt: Instant? = nil,
    at now: Timestamp
  ) {
    phase = isHeld ? .paused(isHeld: true) : .preparing(isHeldUp: false)
    reached = runOptions.callbacks.contains(.beforeAttempts) ? .begun : .prepared
    self.keeping = keeping
    if runOptions.delay != .zero {
      let start = submittedAt ?? now.instant
      // A delay of more than a hundred years never ends.
      notBefore = start + min(runOptions.delay, .longest) ?? start
    }
    self.runOptions = runOptions
    self.isFirst = isFirst
    unwantedSince = now.instant
  }

  /// Whether the run waits for its scope, the network or the app.
  package var isPaused: Bool {
    switch phase {
    case .queued, .paused: true
    case .preparing(let isHeldUp): isHeldUp && !isCancelRequested
    case .saving, .running, .waiting, .stopped, .settling, .ended: false
    }
  }

  /// Whether the run waits, and none of its code is running.
  package var rests: Bool {
    switch phase {
    case .saving, .queued, .paused, .waiting, .stopped: true
    case .preparing, .running, .settling, .ended: false
    }
  }

  /// Whether the run has not ended.
  package var isPending: Bool {
    if case .ended = phase { false } else { true }
  }

  /// The way in which the run ended; `nil` before.
  package var ending: Ending? {
    if case .ended(let ending) = phase { ending } else { nil }
  }

  /// The outcome, which is decided while the callbacks still run; `nil` before and after that.
  var decided: Ending? {
    if case .settling(let ending) = phase { ending } else { nil }
  }

  // MARK: Inputs

  /// Begins the run: with the preparation if there is one, otherwise with the first attempt.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func begun(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    actions.changed = true
    if phase == .paused(isHeld: true) {
      actions.step = .pause
    } else {
      prepareOrEnter(in: environment, &actions)
    }
    return actions
  }

  /// Begins a run that was held back; does nothing for any other run.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func released(in environment: Environment) -> MutationActions {
    guard phase == .paused(isHeld: true) else { return .none }
    phase = .preparing(isHeldUp: false)
    return begun(in: environment)
  }

  /// Takes over the options of a mutation that replaced the one with which the run was started.
  ///
  /// - Parameter runOptions: The options of the new mutation.
  package mutating func mutationReplaced(_ runOptions: RunOptions) {
    self.runOptions = runOptions
  }

  /// Goes on to the first attempt, because `onMutate` returned.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func prepared(in environment: Environment) -> MutationActions {
    guard case .preparing = phase else { return .none }
    var actions = MutationActions()
    reached = .prepared
    if isCancelRequested {
      conclude(.cancelled, in: environment, &actions)
    } else {
      enter(in: environment, &actions)
    }
    return actions
  }

  /// Concludes the run without performing its work, because `onMutate` threw.
  ///
  /// A durable run stops instead, and waits for a decision.
  ///
  /// - Parameters:
  ///   - isCancellation: Whether `onMutate` threw because it was cancelled.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func preparationFailed(
    isCancellation: Bool,
    in environment: Environment
  ) -> MutationActions {
    guard case .preparing = phase else { return .none }
    var actions = MutationActions()
    if isCancellation || isCancelRequested {
      conclude(.cancelled, in: environment, &actions)
    } else if keeping == .kept {
      stop(&actions)
    } else {
      conclude(.failed, in: environment, &actions)
    }
    return actions
  }

  /// Makes the run the first of its scope, because all earlier runs of the scope are over.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func reachedFront(in environment: Environment) -> MutationActions {
    isFirst = true
    var actions = MutationActions()
    switch phase {
    case .queued: enter(in: environment, &actions)
    case .preparing: judgePreparing(in: environment, &actions)
    case .saving, .paused, .running, .waiting, .stopped, .settling, .ended: break
    }
    return actions
  }

  /// Concludes the run, because its attempt returned an output.
  ///
  /// The output counts even if the run was cancelled meanwhile, because the server has made the change.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func attemptSucceeded(in environment: Environment) -> MutationActions {
    guard case .running = phase else { return .none }
    var actions = MutationActions()
    conclude(.succeeded, in: environment, &actions)
    return actions
  }

  /// Waits for the next attempt, or concludes or stops the run, because an attempt failed.
  ///
  /// - Parameters:
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is to be none.
  ///   - isCancellation: Whether the attempt failed because it was cancelled; that is never an error.
  ///   - stops: Whether the run waits for a decision if no attempt follows.
  ///   - environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func attemptFailed(
    retryAfter: TimeSpan?,
    isCancellation: Bool,
    stops: Bool = false,
    in environment: Environment
  ) -> MutationActions {
    guard case .running = phase else { return .none }
    var actions = MutationActions()
    // A durable run that waits for more than a hundred years stays in the outbox.
    let wait = retryAfter.map { keeping == .kept ? min($0, .longest) : $0 }
    if isCancellation || isCancelRequested {
      conclude(.cancelled, in: environment, &actions)
    } else if let wait, let until = environment.now.instant + wait {
      failureCount += 1
      phase = .waiting(until: until)
      actions.changed = true
    } else if stops {
      stop(&actions)
    } else {
      conclude(.failed, in: environment, &actions)
    }
    return actions
  }

  /// Cancels the run.
  ///
  /// A task at work is cancelled; if it succeeds in spite of that, the run succeeds. A run that
  /// only waits ends at once. After the outcome is decided, the call has no effect.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func cancelRequested(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    switch phase {
    case .preparing, .running:
      if !isCancelRequested { actions.step = .cancel }
      actions.changed = isPaused
      isCancelRequested = true
    case .saving, .queued, .paused, .waiting, .stopped:
      conclude(.cancelled, in: environment, &actions)
    case .settling, .ended:
      break
    }
    return actions
  }

  /// Ends the run, because the callbacks at its end returned.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func callbacksEnded(in environment: Environment) -> MutationActions {
    guard case .settling(let ending) = phase else { return .none }
    var actions = MutationActions()
    endRun(ending, in: environment, &actions)
    return actions
  }

  /// Continues or holds up the run, because the network or the app changed.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func environmentChanged(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    switch phase {
    case .preparing: judgePreparing(in: environment, &actions)
    case .paused(isHeld: false):
      guard runOptions.canContinue(in: environment) else { break }
      startAttempt(&actions)
      actions.changed = true
    case .saving, .queued, .paused, .running, .waiting, .stopped, .settling, .ended: break
    }
    return actions
  }

  /// Does what is due at the deadlines that have been reached.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions.
  package mutating func timeReached(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    if notBefore <= environment.now.instant { notBefore = .distantPast }
    if case .waiting(let until) = phase, until <= environment.now.instant {
      goOn(in: environment, &actions)
    }
    if let end = retentionEnd, end <= environment.now.instant { actions.expired = true }
    return actions
  }

  /// Counts handles or streams that began to follow the run.
  ///
  /// - Parameter count: How many.
  package mutating func followed(by count: Int32 = 1) {
    followerCount += count
  }

  /// Counts handles or streams that stopped following the run.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - environment: The environment at the transaction.
  package mutating func unfollowed(by count: Int32 = 1, in environment: Environment) {
    followerCount -= count
    if followerCount == 0 { unwantedSince = environment.now.instant }
  }

  /// The time of the run's next deadline; `nil` if it has none.
  package var nextDeadline: Instant? {
    switch phase {
    case .waiting(let until): until
    case .saving, .queued, .paused, .stopped: delayEnd
    case .preparing, .running, .settling, .ended: retentionEnd
    }
  }

  private var retentionEnd: Instant? {
    guard case .ended = phase, followerCount == 0 else { return nil }
    return unwantedSince + runOptions.gcTime
  }
}
