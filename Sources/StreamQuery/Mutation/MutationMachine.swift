/// Decides everything about one run of a mutation: when it performs, waits, pauses and ends.
///
/// Pure: it never awaits, reads a clock, or holds a value, a task or a closure. Inputs are facts
/// with the world as a parameter; outputs are ``MutationEffects``. Input, output and errors are
/// stored next to it, and it is told its place in its lane: see ``MutationLanes``.
///
/// | input \ phase | preparing | queued | paused | running | waiting | settling |
/// |---|---|---|---|---|---|---|
/// | `prepared` | perform, pause or queue | – | – | – | – | – |
/// | `preparationFailed` | conclude | – | – | – | – | – |
/// | `reachedFront` | remember | perform or pause | – | – | – | – |
/// | `attemptSucceeded` | – | – | – | conclude | – | – |
/// | `attemptFailed` | – | – | – | wait or conclude | – | – |
/// | `timeReached` | – | – | – | – | perform or pause | – |
/// | `worldChanged` | remember | – | perform | – | – | – |
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
    /// Waits for its turn in its lane.
    case queued
    /// Waits for the network or the app; to `running` when both allow it.
    case paused(before: Pause)
    /// An attempt runs; to `waiting` if it is retried, otherwise concluded.
    case running
    /// Between attempts; to `running` or `paused` when the time comes.
    case waiting(until: Moment)
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
  // Flags are stored next to the phase, and counts next to the terms: a run is kept long after it
  // ended, and in this order it is a quarter smaller.
  /// The run was cancelled while one of its tasks was at work; that task has the last word.
  package private(set) var isCancelRequested = false
  /// Whether it is first in its lane, or has none.
  private var isFirst: Bool
  /// Whether it waits for ``released(in:)`` before it begins.
  private var isHeld: Bool
  /// While it prepares: whether it could not perform at present if it were ready.
  private var isHeldUp = false
  /// What the run was started with.
  package private(set) var terms: MutationTerms
  /// The number of handles and streams that follow the run; while there are any, it is kept.
  package private(set) var followerCount: Int32 = 0
  /// Failed attempts since the start, including the last one if the run failed.
  package private(set) var failureCount = 0
  /// The time since when it has been over with nobody following it.
  private var unwantedSince: Moment

  /// Creates the machine of a run that was just requested; ``begun(in:)`` starts it.
  ///
  /// - Parameters:
  ///   - terms: What the run is started with.
  ///   - isFirst: Whether it is first in its lane, or has none.
  ///   - isHeld: Whether it begins only when it is released.
  ///   - now: The time of the turn.
  package init(terms: MutationTerms, isFirst: Bool, isHeld: Bool = false, at now: Timestamp) {
    phase = .preparing
    self.terms = terms
    self.isFirst = isFirst
    self.isHeld = isHeld
    unwantedSince = now.moment
  }

  /// Whether the run waits for its lane, the network or the app.
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
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func begun(in world: World) -> MutationEffects {
    var effects = MutationEffects()
    effects.changed = true
    if isHeld {
      phase = .paused(before: .firstAttempt)
      effects.paused = true
    } else if terms.prepares {
      phase = .preparing
      isHeldUp = !isFirst || !terms.canStart(in: world)
      effects.prepares = true
    } else {
      enter(in: world, &effects)
    }
    return effects
  }

  /// A run that was held may begin; for any other it is a no-op.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func released(in world: World) -> MutationEffects {
    guard isHeld, case .paused = phase else { return .none }
    isHeld = false
    return begun(in: world)
  }

  /// Another plan replaced the one that the run was started with.
  ///
  /// - Parameter terms: The terms of the new plan.
  package mutating func replanned(_ terms: MutationTerms) {
    self.terms = terms
  }

  /// `onMutate` returned.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func prepared(in world: World) -> MutationEffects {
    guard case .preparing = phase else { return .none }
    var effects = MutationEffects()
    if isCancelRequested {
      conclude(.cancelled, in: world, &effects)
    } else {
      enter(in: world, &effects)
    }
    return effects
  }

  /// `onMutate` threw: nothing is performed.
  ///
  /// - Parameters:
  ///   - isCancellation: Whether it threw because it was cancelled.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func preparationFailed(
    isCancellation: Bool,
    in world: World
  ) -> MutationEffects {
    guard case .preparing = phase else { return .none }
    var effects = MutationEffects()
    conclude(isCancellation || isCancelRequested ? .cancelled : .failed, in: world, &effects)
    return effects
  }

  /// The runs before it in its lane are over.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func reachedFront(in world: World) -> MutationEffects {
    isFirst = true
    var effects = MutationEffects()
    switch phase {
    case .queued: enter(in: world, &effects)
    case .preparing: judgePreparing(in: world, &effects)
    case .paused, .running, .waiting, .settling, .ended: break
    }
    return effects
  }

  /// The attempt returned an output.
  ///
  /// It counts even if the run was cancelled meanwhile, because its effect on the server is done.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func attemptSucceeded(in world: World) -> MutationEffects {
    guard case .running = phase else { return .none }
    var effects = MutationEffects()
    conclude(.succeeded, in: world, &effects)
    return effects
  }

  /// The attempt failed.
  ///
  /// - Parameters:
  ///   - retryAfter: The wait before the next attempt, or `nil` if there is to be none.
  ///   - isCancellation: Whether it failed because it was cancelled, which is never an error.
  ///   - world: The world at the turn.
  /// - Returns: What to do.
  package mutating func attemptFailed(
    retryAfter: Span?,
    isCancellation: Bool,
    in world: World
  ) -> MutationEffects {
    guard case .running = phase else { return .none }
    var effects = MutationEffects()
    if isCancellation || isCancelRequested {
      conclude(.cancelled, in: world, &effects)
    } else if let retryAfter, let until = world.now.moment + retryAfter {
      failureCount += 1
      phase = .waiting(until: until)
      effects.changed = true
    } else {
      conclude(.failed, in: world, &effects)
    }
    return effects
  }

  /// The run was cancelled.
  ///
  /// A task at work is cancelled and has the last word: if it succeeds in spite of that, the run
  /// succeeds. A run that only waits ends at once. After the outcome is decided it is too late.
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func cancelRequested(in world: World) -> MutationEffects {
    var effects = MutationEffects()
    switch phase {
    case .preparing, .running:
      effects.cancels = !isCancelRequested
      effects.changed = isPaused
      isCancelRequested = true
    case .queued, .paused, .waiting:
      isCancelRequested = true
      conclude(.cancelled, in: world, &effects)
    case .settling, .ended:
      break
    }
    return effects
  }

  /// The callbacks at the end of the run returned.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func callbacksEnded(in world: World) -> MutationEffects {
    guard case .settling(let ending) = phase else { return .none }
    var effects = MutationEffects()
    end(ending, in: world, &effects)
    return effects
  }

  /// The network or the app changed.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func worldChanged(in world: World) -> MutationEffects {
    var effects = MutationEffects()
    switch phase {
    case .preparing: judgePreparing(in: world, &effects)
    case .paused:
      guard !isHeld, terms.canContinue(in: world) else { break }
      phase = .running
      effects.performs = true
      effects.changed = true
    case .queued, .running, .waiting, .settling, .ended: break
    }
    return effects
  }

  /// Time has passed.
  ///
  /// - Parameter world: The world at the turn.
  /// - Returns: What to do.
  package mutating func timeReached(in world: World) -> MutationEffects {
    var effects = MutationEffects()
    if case .waiting(let until) = phase, until <= world.now.moment {
      effects.changed = true
      if terms.canContinue(in: world) {
        phase = .running
        effects.performs = true
      } else {
        phase = .paused(before: .retry)
        effects.paused = true
      }
    }
    if let end = retentionEnd, end <= world.now.moment { effects.expired = true }
    return effects
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
  ///   - world: The world at the turn.
  package mutating func unfollowed(by count: Int32 = 1, in world: World) {
    followerCount -= count
    if followerCount == 0 { unwantedSince = world.now.moment }
  }

  /// The next time at which the run has something to do, or `nil` if there is none.
  package var nextDeadline: Moment? {
    if case .waiting(let until) = phase { until } else { retentionEnd }
  }

  // MARK: Steps

  private mutating func judgePreparing(in world: World, _ effects: inout MutationEffects) {
    let isHeldUp = !isFirst || !terms.canStart(in: world)
    effects.changed = isHeldUp != self.isHeldUp
    self.isHeldUp = isHeldUp
  }

  private mutating func enter(in world: World, _ effects: inout MutationEffects) {
    effects.changed = true
    if !isFirst {
      phase = .queued
      effects.paused = true
    } else if terms.canStart(in: world) {
      phase = .running
      effects.performs = true
    } else {
      phase = .paused(before: .firstAttempt)
      effects.paused = true
    }
  }

  private mutating func conclude(
    _ ending: Ending,
    in world: World,
    _ effects: inout MutationEffects
  ) {
    effects.concluded = ending
    effects.changed = true
    if terms.settles {
      phase = .settling(ending)
    } else {
      end(ending, in: world, &effects)
    }
  }

  private mutating func end(
    _ ending: Ending,
    in world: World,
    _ effects: inout MutationEffects
  ) {
    phase = .ended(ending)
    failureCount = ending == .failed ? failureCount + 1 : 0
    unwantedSince = world.now.moment
    effects.ended = ending
    effects.changed = true
    // A cancelled run leaves nothing behind to look at.
    effects.expired = ending == .cancelled
  }

  private var retentionEnd: Moment? {
    guard case .ended = phase, followerCount == 0 else { return nil }
    return unwantedSince + terms.gcTime
  }
}
