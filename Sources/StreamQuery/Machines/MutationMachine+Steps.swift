// The steps that several inputs share.

extension MutationMachine {
  mutating func judgePreparing(
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    let old = phase
    phase = .preparing(isHeldUp: !isFirst || !runOptions.canStart(in: environment))
    actions.changed = phase != old
  }

  /// Begins with the preparation if there is one, otherwise with the step after the preparation.
  mutating func prepareOrEnter(in environment: Environment, _ actions: inout MutationActions) {
    guard reached < .prepared else { return enter(in: environment, &actions) }
    judgePreparing(in: environment, &actions)
    actions.changed = true
    actions.step = .prepare
  }

  /// Goes on to the first attempt, or to the wait before that attempt.
  mutating func enter(in environment: Environment, _ actions: inout MutationActions) {
    actions.changed = true
    if keeping == .wanted {
      phase = .saving
      actions.step = .keep
    } else if !isFirst {
      phase = .queued
      actions.step = .pause
    } else if notBefore > environment.now.instant {
      phase = .waiting(until: notBefore)
    } else if runOptions.canStart(in: environment) {
      startAttempt(&actions)
    } else {
      phase = .paused(isHeld: false)
      actions.step = .pause
    }
  }

  /// Goes on to the next attempt after a wait or on request.
  mutating func goOn(in environment: Environment, _ actions: inout MutationActions) {
    guard reached == .performed else { return enter(in: environment, &actions) }
    actions.changed = true
    if runOptions.canContinue(in: environment) {
      startAttempt(&actions)
    } else {
      phase = .paused(isHeld: false)
      actions.step = .pause
    }
  }

  mutating func startAttempt(_ actions: inout MutationActions) {
    phase = .running
    reached = .performed
    actions.step = .perform
  }

  /// Stops the run until it is retried, gets another input or is cancelled.
  mutating func stop(_ actions: inout MutationActions) {
    failureCount += 1
    phase = .stopped
    actions.step = .stop
    actions.changed = true
  }

  mutating func conclude(
    _ ending: Ending,
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    actions.concluded = ending
    actions.changed = true
    if runOptions.callbacks.contains(.afterOutcome) {
      phase = .settling(ending)
    } else {
      endRun(ending, in: environment, &actions)
    }
  }

  mutating func endRun(
    _ ending: Ending,
    in environment: Environment,
    _ actions: inout MutationActions
  ) {
    phase = .ended(ending)
    failureCount = ending == .failed ? failureCount + 1 : 0
    unwantedSince = environment.now.instant
    actions.ended = ending
    actions.changed = true
    // A cancelled run is forgotten at once, without retention.
    actions.expired = ending == .cancelled
  }
}
