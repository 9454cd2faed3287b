/// Decides everything about one run of a mutation: when it performs, waits, pauses and ends.
///
/// Pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are facts
/// with the environment as a parameter; outputs are ``MutationActions``. Input, output and errors
/// are stored next to it, and it is told its place in its scope: see ``RunQueue``.
///
/// | input \ phase | preparing | queued | paused | running | waiting | settling |
/// |---|---|---|---|---|---|---|
/// | `prepared` | perform, pause or queue | – | – | – | – | – |
/// | `preparationFailed` | conclude | – | – | – | – | – |
/// | `reachedFront` | remember | perform or pause | – | – | – | – |
/// | `attemptSucceeded` | – | – | – | conclude | – | – |
/// | `attemptFailed` | – | – | – | wait or conclude | – | – |
/// | `timeReached` | – | – | – | – | perform or pause | – |
/// | `environmentChanged` | remember | – | perform | – | – | – |
/// | `released` | – | – | begin | – | – | – |
/// | `cancelRequested` | cancel its task | conclude | conclude | cancel its task | conclude | – |
/// | `callbacksEnded` | – | – | – | – | – | end |
///
/// To conclude means to settle, which runs the callbacks, or to end at once if there are none. A
/// dash is a no-op, and so is everything but `timeReached` (retention) in `ended`.
package struct MutationMachine: Equatable, Sendable {
  /// What the run is doing.
  package enum Phase: Equatable, Sendable {
    /// `onMutate` runs; when it returns: to `running`, `paused` or `queued`; if it throws:
    /// concluded.
    case preparing
    /// Waits for its turn in its scope.
    case queued
    /// Waits for the network or the app; to `running` when both allow it.
    case paused(before: Pause)
    /// An attempt runs; to `waiting` if it is retried, otherwise concluded.
    case running
    /// Between attempts; to `running` or `paused` when the time comes.
    case waiting(until: Instant)
    /// The outcome is decided; the callbacks run.
    case settling(Ending)
    /// Over; kept until its retention has passed.
    case ended(Ending)
  }

  /// What a paused run would do next.
  package enum Pause: Hashable, Sendable {
    case firstAttempt
    case retry
  }

  /// How a run ends.
  package enum Ending: Hashable, Sendable {
    /// It returned an output.
    case succeeded
    /// Its last attempt, or its preparation, failed.
    case failed
    /// It was cancelled before it had an output.
    case cancelled
  }

  package private(set) var phase: Phase
  // Flags are stored next to the phase, and counts next to the options: a run is kept long after it
  // ended, and in this order it is a quarter smaller.
  /// The run was cancelled while one of its tasks was at work; that task has the last word.
  package private(set) var isCancelRequested = false
  /// Whether it is first in its scope, or has none.
  private var isFirst: Bool
  /// Whether it waits for ``released(in:)`` before it begins.
  private var isHeld: Bool
  /// While it prepares: whether it could not perform at present if it were ready.
  private var isHeldUp = false
  /// What the run was started with.
  package private(set) var runOptions: RunOptions
  /// The number of handles and streams that follow the run; while there are any, it is kept.
  package private(set) var followerCount: Int32 = 0
  /// Failed attempts since the start, including the last one if the run failed.
  package private(set) var failureCount = 0
  /// The time since when it has been over with nobody following it.
  private var unwantedSince: Instant

  /// Creates the machine of a run that was just requested; ``begun(in:)`` starts it.
  ///
  /// - Parameters:
  ///   - runOptions: What the run is started with.
  ///   - isFirst: Whether it is first in its scope, or has none.
  ///   - isHeld: Whether it begins only when it is released.
  ///   - now: The time of the transaction.
  package init(runOptions: RunOptions, isFirst: Bool, isHeld: Bool = false, at now: Timestamp) {
    phase = .preparing
    self.runOptions = runOptions
    self.isFirst = isFirst
    self.isHeld = isHeld
    unwantedSince = now.instant
  }

  /// Whether the run waits for its scope, the network or the app.
  package var isPaused: Bool {
    switch phase {
    case .queued, .paused: true
    case .preparing: isHeldUp && !isCancelRequested
    case .running, .waiting, .settling, .ended: false
    }
  }

  /// Whether the run does nothing now but will later.
  package var rests: Bool {
    switch phase {
    case .queued, .paused, .waiting: true
    case .preparing, .running, .settling, .ended: false
    }
  }

  /// Whether the run has not ended.
  package var isPending: Bool {
    if case .ended = phase { false } else { true }
  }

  /// How it ended, once it is over.
  package var ending: Ending? {
    if case .ended(let ending) = phase { ending } else { nil }
  }

  // MARK: Inputs

  /// The run begins: with its preparation if it has one, otherwise with its first attempt.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func begun(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    actions.changed = true
    if isHeld {
      phase = .paused(before: .firstAttempt)
      actions.paused = true
    } else if runOptions.prepares {
      phase = .preparing
      isHeldUp = !isFirst || !runOptions.canStart(in: environment)
      actions.prepares = true
    } else {
      enter(in: environment, &actions)
    }
    return actions
  }

  /// A run that was held may begin; for any other it is a no-op.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func released(in environment: Environment) -> MutationActions {
    guard isHeld, case .paused = phase else { return .none }
    isHeld = false
    return begun(in: environment)
  }

  /// Another mutation replaced the one that the run was started with.
  ///
  /// - Parameter runOptions: The options of the new mutation.
  package mutating func mutationReplaced(_ runOptions: RunOptions) {
    self.runOptions = runOptions
  }

  /// `onMutate` returned.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func prepared(in environment: Environment) -> MutationActions {
    guard case .preparing = phase else { return .none }
    var actions = MutationActions()
    if isCancelRequested {
      conclude(.cancelled, in: environment, &actions)
    } else {
      enter(in: environment, &actions)
    }
    return actions
  }

  /// `onMutate` threw: nothing is performed.
  ///
  /// - Parameters:
  ///   - isCancellation: Whether it threw because it was cancelled.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func preparationFailed(
    isCancellation: Bool,
    in environment: Environment
  ) -> MutationActions {
    guard case .preparing = phase else { return .none }
    var actions = MutationActions()
    conclude(isCancellation || isCancelRequested ? .cancelled : .failed, in: environment, &actions)
    return actions
  }

  /// The runs before it in its scope are over.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func reachedFront(in environment: Environment) -> MutationActions {
    isFirst = true
    var actions = MutationActions()
    switch phase {
    case .queued: enter(in: environment, &actions)
    case .preparing: judgePreparing(in: environment, &actions)
    case .paused, .running, .waiting, .settling, .ended: break
    }
    return actions
  }

  /// The attempt returned an output.
  ///
  /// It counts even if the run was cancelled meanwhile, because its effect on the server is done.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func attemptSucceeded(in environment: Environment) -> MutationActions {
    guard case .running = phase else { return .none }
    var actions = MutationActions()
    conclude(.succeeded, in: environment, &actions)
    return actions
  }

  /// The attempt failed.
  ///
  /// - Parameters:
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is to be none.
  ///   - isCancellation: Whether it failed because it was cancelled, which is never an error.
  ///   - environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func attemptFailed(
    retryAfter: TimeSpan?,
    isCancellation: Bool,
    in environment: Environment
  ) -> MutationActions {
    guard case .running = phase else { return .none }
    var actions = MutationActions()
    if isCancellation || isCancelRequested {
      conclude(.cancelled, in: environment, &actions)
    } else if let retryAfter, let until = environment.now.instant + retryAfter {
      failureCount += 1
      phase = .waiting(until: until)
      actions.changed = true
    } else {
      conclude(.failed, in: environment, &actions)
    }
    return actions
  }

  /// The run was cancelled.
  ///
  /// A task at work is cancelled and has the last word: if it succeeds in spite of that, the run
  /// succeeds. A run that only waits ends at once. After the outcome is decided it is too late.
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func cancelRequested(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    switch phase {
    case .preparing, .running:
      actions.cancels = !isCancelRequested
      actions.changed = isPaused
      isCancelRequested = true
    case .queued, .paused, .waiting:
      isCancelRequested = true
      conclude(.cancelled, in: environment, &actions)
    case .settling, .ended:
      break
    }
    return actions
  }

  /// The callbacks at the end of the run returned.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func callbacksEnded(in environment: Environment) -> MutationActions {
    guard case .settling(let ending) = phase else { return .none }
    var actions = MutationActions()
    end(ending, in: environment, &actions)
    return actions
  }

  /// The network or the app changed.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func environmentChanged(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    switch phase {
    case .preparing: judgePreparing(in: environment, &actions)
    case .paused:
      guard !isHeld, runOptions.canContinue(in: environment) else { break }
      phase = .running
      actions.performs = true
      actions.changed = true
    case .queued, .running, .waiting, .settling, .ended: break
    }
    return actions
  }

  /// Time has passed.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do.
  package mutating func timeReached(in environment: Environment) -> MutationActions {
    var actions = MutationActions()
    if case .waiting(let until) = phase, until <= environment.now.instant {
      actions.changed = true
      if runOptions.canContinue(in: environment) {
        phase = .running
        actions.performs = true
      } else {
        phase = .paused(before: .retry)
        actions.paused = true
      }
    }
    if let end = retentionEnd, end <= environment.now.instant { actions.expired = true }
    return actions
  }

  /// Handles or streams began to follow the run.
  ///
  /// - Parameter count: How many.
  package mutating func followed(by count: Int32 = 1) {
    followerCount += count
  }

  /// Handles or streams stopped following the run.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - environment: The environment at the transaction.
  package mutating func unfollowed(by count: Int32 = 1, in environment: Environment) {
    followerCount -= count
    if followerCount == 0 { unwantedSince = environment.now.instant }
  }

  /// The next time at which the run has something to do, or `nil` if there is none.
  package var nextDeadline: Instant? {
    if case .waiting(let until) = phase { until } else { retentionEnd }
  }

  // MARK: Steps

  private mutating func judgePreparing(
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    let isHeldUp = !isFirst || !runOptions.canStart(in: environment)
    actions.changed = isHeldUp != self.isHeldUp
    self.isHeldUp = isHeldUp
  }

  private mutating func enter(in environment: Environment, _ actions: inout MutationActions) {
    actions.changed = true
    if !isFirst {
      phase = .queued
      actions.paused = true
    } else if runOptions.canStart(in: environment) {
      phase = .running
      actions.performs = true
    } else {
      phase = .paused(before: .firstAttempt)
      actions.paused = true
    }
  }

  private mutating func conclude(
    _ ending: Ending,
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    actions.concluded = ending
    actions.changed = true
    if runOptions.settles {
      phase = .settling(ending)
    } else {
      end(ending, in: environment, &actions)
    }
  }

  private mutating func end(
    _ ending: Ending,
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    phase = .ended(ending)
    failureCount = ending == .failed ? failureCount + 1 : 0
    unwantedSince = environment.now.instant
    actions.ended = ending
    actions.changed = true
    // A cancelled run leaves nothing behind to look at.
    actions.expired = ending == .cancelled
  }

  private var retentionEnd: Instant? {
    guard case .ended = phase, followerCount == 0 else { return nil }
    return unwantedSince + runOptions.gcTime
  }
}
