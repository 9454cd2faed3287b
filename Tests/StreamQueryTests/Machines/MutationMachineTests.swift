import Testing

@testable import StreamQuery

/// What may happen to a run.
private enum Input: CaseIterable {
  case prepared, preparationFailed, reachedFront, succeeded, failed, failedForGood
  case cancelRequested, callbacksEnded, network, app, second
  case kept, keepingFailed, failedAndStopped, retried, rebased

  /// What may happen to a run that is not kept beyond the process.
  static let plain = Array(allCases.prefix(11))
}

/// A run with a world around it, and a count of the tasks that are at work for it.
private struct RunWorld {
  var machine: MutationMachine
  var environment = Environment(now: .seconds(0))
  var isFirst: Bool
  var tasks = 0
  var ends: [MutationMachine.Ending] = []
  var trace: [String] = []

  init(
    _ runOptions: RunOptions,
    isFirst: Bool,
    keeping: MutationMachine.Keeping = .none
  ) {
    machine = MutationMachine(
      runOptions: runOptions,
      isFirst: isFirst,
      keeping: keeping,
      at: .seconds(0)
    )
    self.isFirst = isFirst
    let actions = machine.begun(in: environment)
    take(actions, "begun")
  }

  mutating func apply(_ input: Input) {
    let before = machine
    var actions = MutationActions.none
    switch input {
    case .prepared:
      actions = answer(from: preparing) { $0.prepared(in: $1) }
    case .preparationFailed:
      actions = answer(from: preparing) { $0.preparationFailed(isCancellation: false, in: $1) }
    case .succeeded:
      actions = answer(from: .running) { $0.attemptSucceeded(in: $1) }
    case .failed:
      actions = answer(from: .running) {
        $0.attemptFailed(retryAfter: .seconds(1), isCancellation: false, in: $1)
      }
    case .failedForGood:
      actions = answer(from: .running) {
        $0.attemptFailed(retryAfter: nil, isCancellation: false, in: $1)
      }
    case .kept: actions = machine.kept(in: environment)
    case .keepingFailed: actions = machine.keepingFailed(in: environment)
    case .failedAndStopped:
      actions = answer(from: .running) {
        $0.attemptFailed(retryAfter: nil, isCancellation: false, stops: true, in: $1)
      }
    case .retried: actions = machine.retried(in: environment)
    case .rebased: actions = machine.rebased(in: environment)
    case .callbacksEnded:
      let isSettling = if case .settling = machine.phase { true } else { false }
      if isSettling { tasks -= 1 }
      actions = machine.callbacksEnded(in: environment)
      if !isSettling { expect(machine == before && actions == .none, "\(trace) \(input)") }
    case .reachedFront:
      guard !isFirst else { return }
      isFirst = true
      actions = machine.reachedFront(in: environment)
    case .cancelRequested: actions = machine.cancelRequested(in: environment)
    case .network:
      environment.isOnline.toggle()
      actions = machine.environmentChanged(in: environment)
    case .app:
      environment.isActive.toggle()
      actions = machine.environmentChanged(in: environment)
    case .second:
      environment.now = .seconds(Double(environment.now.instant.nanoseconds) / 1e9 + 1)
      if let deadline = machine.nextDeadline, deadline <= environment.now.instant {
        actions = machine.timeReached(in: environment)
      }
    }
    if before.ending != nil {
      expectEqual(machine.phase, before.phase, "an end is final: \(trace) \(input)")
    }
    take(actions, "\(input)")
  }

  /// The phase of a preparation, whether or not it is held up.
  private var preparing: MutationMachine.Phase {
    if case .preparing = machine.phase { machine.phase } else { .preparing(isHeldUp: false) }
  }

  /// A late or impossible answer must be a no-op; the others end the task that they come from.
  private mutating func answer(
    from phase: MutationMachine.Phase,
    _ body: (inout MutationMachine, Environment) -> MutationActions
  ) -> MutationActions {
    let before = machine
    if machine.phase == phase { tasks -= 1 }
    let actions = body(&machine, environment)
    if before.phase != phase {
      expect(machine == before && actions == .none, "\(trace)")
    }
    return actions
  }

  private mutating func take(_ actions: MutationActions, _ input: String) {
    trace.append(input)
    if actions.step == .cancel { expectEqual(tasks, 1, "\(trace)") }
    if actions.step == .prepare { tasks += 1 }
    if actions.step == .perform {
      tasks += 1
      expect(machine.keeping != .wanted, "nothing is sent before it is kept: \(trace)")
      expect(isFirst, "nobody overtakes: \(trace)")
      expect(environment.isOnline || machine.runOptions.networkMode != .online, "\(trace)")
    }
    if actions.concluded != nil, actions.ended == nil {
      tasks += 1
      expect(machine.runOptions.callbacks.contains(.afterOutcome), "\(trace)")
    }
    if let ending = actions.ended { ends.append(ending) }
    check()
  }

  private func check() {
    let isAtWork =
      switch machine.phase {
      case .preparing, .running, .settling: true
      case .saving, .queued, .paused, .waiting, .stopped, .ended: false
      }
    expectEqual(tasks, isAtWork ? 1 : 0, "one task at a time: \(trace)")
    expectEqual(ends.count, machine.ending == nil ? 0 : 1, "one end: \(trace)")
    expect(machine.ending == nil || machine.ending == ends.first, "\(trace)")
    if machine.isPaused { expect(machine.isPending, "\(trace)") }
    if case .queued = machine.phase { expect(!isFirst, "\(trace)") }
    if case .paused = machine.phase {
      let isActive = environment.isActive || machine.runOptions.isDurable
      expect(!(environment.isOnline && isActive), "what may go on goes on: \(trace)")
    }
    if machine.ending == .succeeded { expectEqual(machine.failureCount, 0, "\(trace)") }
    if machine.ending == .failed { #expect(machine.failureCount > 0, "\(trace)") }
  }
}

struct MutationMachineTests {
  // U01 T66 T67 T70
  @Test(arguments: [true, false], [true, false])
  func everyShortHistoryKeepsTheRules(prepares: Bool, settles: Bool) {
    for isFirst in [true, false] {
      var runOptions = RunOptions()
      if prepares { runOptions.callbacks.insert(.beforeAttempts) }
      if settles { runOptions.callbacks.insert(.afterOutcome) }
      runOptions.gcTime = .seconds(2)
      explore(RunWorld(runOptions, isFirst: isFirst), Input.plain, depth: 4)
    }
  }

  @Test(arguments: [MutationMachine.Keeping.wanted, .kept], [Duration.zero, .seconds(1)])
  func everyShortHistoryOfAKeptRunKeepsTheRules(
    keeping: MutationMachine.Keeping,
    delay: Duration
  ) {
    for (isFirst, prepares) in [(true, true), (true, false), (false, false)] {
      var runOptions = RunOptions()
      runOptions.isDurable = true
      runOptions.delay = TimeSpan(delay)
      if prepares { runOptions.callbacks.insert(.beforeAttempts) }
      if isFirst { runOptions.callbacks.insert(.afterOutcome) }
      explore(
        RunWorld(runOptions, isFirst: isFirst, keeping: keeping),
        Input.allCases,
        depth: Seeds.times(4, orElse: 3)
      )
    }
  }

  @Test func aRunThatIsPromisedIsNotEndedByItsPreparation() {
    let environment = Environment(now: .seconds(0))
    for keeping in [MutationMachine.Keeping.wanted, .kept] {
      var machine = durable(keeping) { $0.callbacks = .beforeAttempts }
      expectEqual(machine.begun(in: environment).step, .prepare)
      let actions = machine.preparationFailed(isCancellation: false, in: environment)
      expectEqual(actions.step == .stop, keeping == .kept)
      expectEqual(actions.ended, keeping == .kept ? nil : .failed)
      expectEqual(machine.retried(in: environment).step == .prepare, keeping == .kept)
      if keeping == .kept { expectEqual(machine.failureCount, 0) }
    }
  }

  @Test func onlyARunThatWasNotSentIsOvertaken() {
    let environment = Environment(now: .seconds(0))
    var machine = running()
    expect(!machine.canBeOvertaken)
    machine = durable(.wanted)
    expectEqual(machine.begun(in: environment).step, .keep)
    expect(machine.canBeOvertaken)
    expectEqual(machine.overtaken(), .none)
    expectEqual(machine.kept(in: environment).step, .pause)
    expectEqual(machine.phase, .queued)
    expectEqual(machine.reachedFront(in: environment).step, .perform)
  }

  @Test func aRunThatWaitsIsMovedBackAtOnceAndOneThatIsHeldWhenItIsReleased() {
    let offline = Environment(now: .seconds(0), isOnline: false)
    for isHeld in [false, true] {
      var machine = MutationMachine(
        runOptions: RunOptions(),
        isFirst: true,
        isHeld: isHeld,
        at: .seconds(0)
      )
      expectEqual(machine.begun(in: offline).step, .pause)
      expectEqual(machine.overtaken(), .none)
      expectEqual(machine.phase, isHeld ? .paused(isHeld: true) : .queued)
      expectEqual(machine.released(in: offline).step, isHeld ? .pause : nil)
      expectEqual(machine.phase, .queued)
    }
  }

  @Test func aDelayedRunThatIsMovedBackShowsThatItIsPaused() {
    var machine = durable(.kept) { $0.delay = .seconds(2) }
    let environment = Environment(now: .seconds(0))
    expectNil(machine.begun(in: environment).step)
    expect(!machine.isPaused)
    let actions = machine.overtaken()
    expect(machine.isPaused && actions.changed && actions.step == .pause)
    expectNil(machine.reachedFront(in: environment).step)
    expectEqual(machine.phase, .waiting(until: .seconds(2)))
  }

  @Test func aRunThatIsPreparedAndMovedBackShowsThatItIsPaused() {
    let environment = Environment(now: .seconds(0))
    var machine = durable(.wanted) { $0.callbacks = .beforeAttempts }
    expectEqual(machine.begun(in: environment).step, .prepare)
    expect(!machine.isPaused)
    let actions = machine.overtaken()
    expect(machine.isPaused && actions.changed && actions.step == nil)
    let later = machine.reachedFront(in: environment)
    expect(later.changed && !machine.isPaused)
  }

  @Test func aRunThatIsWrittenTakesPrecedenceUntilItIsCancelledOrDecided() {
    let environment = Environment(now: .seconds(0))
    var machine = durable(.wanted)
    expectEqual(machine.begun(in: environment).step, .keep)
    expect(!machine.takesPrecedence && !machine.isAtWork)
    expectEqual(machine.kept(in: environment).step, .perform)
    expect(machine.takesPrecedence && machine.isAtWork)
    var cancelled = machine
    expectEqual(cancelled.cancelRequested(in: environment).step, .cancel)
    expect(!cancelled.takesPrecedence)
    expectEqual(machine.attemptSucceeded(in: environment).ended, .succeeded)
    expect(!machine.takesPrecedence && !machine.isAtWork)
  }

  @Test func theDelayOfARunPassesWhileItIsWritten() {
    var machine = durable(.wanted) { $0.delay = .seconds(2) }
    expectEqual(machine.begun(in: Environment(now: .seconds(0))).step, .keep)
    let (early, due) = (Environment(now: .seconds(1)), Environment(now: .seconds(2)))
    expectEqual(machine.timeReached(in: early), .none)
    expectEqual(machine.nextDeadline, .seconds(2))
    expectEqual(machine.timeReached(in: due), .none)
    expectNil(machine.nextDeadline)
    expectEqual(machine.kept(in: due).step, .perform)
  }

  @Test func aRetryDoesNotWaitForTheDelay() {
    var machine = durable(.kept) { $0.delay = .seconds(2) }
    let environment = Environment(now: .seconds(0))
    expectNil(machine.begun(in: environment).step)
    expectEqual(machine.phase, .waiting(until: .seconds(2)))
    expectEqual(machine.retried(in: environment).step, .perform)
  }

  @Test func anotherInputForgetsTheFailuresOfARunThatStopped() {
    var machine = durable(.kept)
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .perform)
    let stopped = machine.attemptFailed(
      retryAfter: nil,
      isCancellation: false,
      stops: true,
      in: environment
    )
    expect(stopped.step == .stop && stopped.changed)
    expectEqual(machine.failureCount, 1)
    expectEqual(machine.rebased(in: environment).step, .keep)
    expectEqual(machine.failureCount, 0)
  }

  @Test func workThatWasCancelledIsNotTriedWithAnotherInput() {
    var machine = durable(.kept)
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .perform)
    expectEqual(machine.cancelRequested(in: environment).step, .cancel)
    let actions = machine.attemptRebased(retryAfter: .seconds(1), in: environment)
    expectEqual(actions.ended, .cancelled)
    expectEqual(machine.phase, .ended(.cancelled))
  }

  /// More than a hundred years are for ever; otherwise it would be sent again and again without a wait.
  @Test func anotherInputThatIsToWaitForEverIsNotSentAtOnce() {
    var machine = durable(.kept)
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .perform)
    expectEqual(machine.attemptRebased(retryAfter: .infinite, in: environment).step, .keep)
    expectNil(machine.kept(in: environment).step)
    let end = Instant(nanoseconds: TimeSpan.longest.nanoseconds)
    expectEqual(machine.phase, .waiting(until: end))
  }

  @Test func aDurableRunThatIsToWaitForEverDoesNotFail() {
    var machine = durable(.kept)
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .perform)
    let actions = machine.attemptFailed(
      retryAfter: .infinite,
      isCancellation: false,
      in: environment
    )
    expectNil(actions.concluded)
    let end = Instant(nanoseconds: TimeSpan.longest.nanoseconds)
    expectEqual(machine.phase, .waiting(until: end))
  }

  private func explore(_ environment: RunWorld, _ inputs: [Input], depth: Int) {
    guard depth > 0 else { return }
    for input in inputs {
      var next = environment
      next.apply(input)
      explore(next, inputs, depth: depth - 1)
    }
  }

  /// A durable run that has not begun.
  private func durable(
    _ keeping: MutationMachine.Keeping,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) -> MutationMachine {
    var runOptions = RunOptions()
    runOptions.isDurable = true
    change(&runOptions)
    return MutationMachine(
      runOptions: runOptions,
      isFirst: true,
      keeping: keeping,
      at: .seconds(0)
    )
  }

  private func running(_ change: (inout RunOptions) -> Void = { _ in }) -> MutationMachine {
    var runOptions = RunOptions()
    runOptions.gcTime = .seconds(10)
    change(&runOptions)
    var machine = MutationMachine(runOptions: runOptions, isFirst: true, at: .seconds(0))
    _ = machine.begun(in: Environment(now: .seconds(0)))
    return machine
  }

  // T65
  @Test func anEndedRunIsKeptForItsRetentionAndForWhoFollowsIt() {
    var machine = running()
    let environment = Environment(now: .seconds(5))
    _ = machine.attemptSucceeded(in: environment)
    expectEqual(machine.nextDeadline, .seconds(15))
    machine.followed()
    expectNil(machine.nextDeadline)
    machine.unfollowed(in: Environment(now: .seconds(20)))
    expectEqual(machine.nextDeadline, .seconds(30))
    let early = machine.timeReached(in: Environment(now: .seconds(29)))
    expect(!early.expired)
    let due = machine.timeReached(in: Environment(now: .seconds(30)))
    expect(due.expired)
  }

  @Test func aRunIsKeptForTheRetentionOfTheMutationThatReplacedItsOwn() {
    var machine = running()
    _ = machine.attemptSucceeded(in: Environment(now: .seconds(5)))
    expectEqual(machine.nextDeadline, .seconds(15))
    var runOptions = machine.runOptions
    runOptions.gcTime = .seconds(20)
    machine.mutationReplaced(runOptions)
    expectEqual(machine.nextDeadline, .seconds(25))
  }

  // T70
  @Test func aRetryNeedsNetworkAndAppAndAFirstAttemptOnlyTheNetwork() {
    let away = Environment(now: .seconds(0), isActive: false)
    var machine = running()
    let failed = machine.attemptFailed(
      retryAfter: .seconds(1),
      isCancellation: false,
      in: away
    )
    expect(failed.step == nil && failed.changed)
    expectEqual(machine.nextDeadline, .seconds(1))
    var later = Environment(now: .seconds(1), isActive: false)
    let rested = machine.timeReached(in: later)
    expect(rested.step == .pause && rested.changed)
    later.isActive = true
    let resumed = machine.environmentChanged(in: later)
    expect(resumed.step == .perform && resumed.changed)

    var fresh = MutationMachine(runOptions: RunOptions(), isFirst: true, at: .seconds(0))
    let begun = fresh.begun(in: away)
    expectEqual(begun.step, .perform)
  }

  // T71
  @Test func aRunThatIsHeldBeginsWhenItIsReleasedAndOnlyOnce() {
    var runOptions = RunOptions()
    runOptions.callbacks.insert(.beforeAttempts)
    var machine = MutationMachine(
      runOptions: runOptions,
      isFirst: true,
      isHeld: true,
      at: .seconds(0)
    )
    let environment = Environment(now: .seconds(0))
    let begun = machine.begun(in: environment)
    expect(begun.step == .pause && begun.changed)
    expect(machine.isPaused)
    expectEqual(machine.environmentChanged(in: environment), .none)
    let released = machine.released(in: environment)
    expectEqual(released.step, .prepare)
    expect(!machine.isPaused)
    expectEqual(machine.released(in: environment), .none)
  }

  @Test func aRunThatIsHeldAndGetsAnotherInputIsNotHeldAnyMore() {
    var machine = MutationMachine(
      runOptions: RunOptions(),
      isFirst: true,
      isHeld: true,
      at: .seconds(0)
    )
    let offline = Environment(now: .seconds(0), isOnline: false)
    let steps = [
      machine.begun(in: offline),
      machine.rebased(in: offline),
      machine.kept(in: offline),
      machine.released(in: offline),
      machine.environmentChanged(in: Environment(now: .seconds(1))),
    ].map(\.step)
    expectEqual(steps, [.pause, .keep, .pause, nil, .perform])
  }

  @Test func aRunIsPreparedOnceAndNotAgainWhenItIsWritten() {
    var machine = durable(.wanted) { $0.callbacks = .beforeAttempts }
    let environment = Environment(now: .seconds(0))
    let steps = [
      machine.begun(in: environment),
      machine.prepared(in: environment),
      machine.kept(in: environment),
    ].map(\.step)
    expectEqual(steps, [.prepare, .keep, .perform])
  }

  @Test func anotherInputBeginsAnewAndNeedsOnlyTheNetwork() {
    var machine = durable(.kept)
    let away = Environment(now: .seconds(0), isActive: false)
    expectEqual(machine.begun(in: away).step, .perform)
    expectEqual(machine.attemptRebased(retryAfter: .seconds(1), in: away).step, .keep)
    expectEqual(machine.failureCount, 1)
    expect(machine.kept(in: away).changed)
    expect(machine.canBeOvertaken)
    let later = Environment(now: .seconds(1), isActive: false)
    expectEqual(machine.timeReached(in: later).step, .perform)
  }

  @Test func aRunStallsWhileItIsSavedAndAfterItWasStopped() {
    var machine = durable(.wanted)
    let environment = Environment(now: .seconds(0))
    expect(!machine.isStalled)
    expectEqual(machine.begun(in: environment).step, .keep)
    expect(machine.isStalled)
    expectEqual(machine.kept(in: environment).step, .perform)
    expect(!machine.isStalled)
    machine = durable(.kept) { $0.callbacks = .beforeAttempts }
    expectEqual(machine.begun(in: environment).step, .prepare)
    expect(!machine.isStalled)
    expectEqual(machine.preparationFailed(isCancellation: false, in: environment).step, .stop)
    expect(machine.isStalled)
    expect(!machine.canBeOvertaken)
  }

  @Test(arguments: [false, true])
  func anInputThatCannotBeWrittenFailsOrStopsIfAnEarlierOneIsStored(isStored: Bool) {
    var machine = durable(.wanted) { $0.delay = .seconds(2) }
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .keep)
    expectEqual(machine.nextDeadline, .seconds(2))
    let actions = machine.keepingFailed(isStored: isStored, in: environment)
    expectEqual(machine.phase == .stopped, isStored)
    expectEqual(actions.ended, isStored ? nil : .failed)
  }

  @Test func aRunThatIsPreparedSaysWhenTheNetworkHoldsItUpAndWhenNoMore() {
    var runOptions = RunOptions()
    runOptions.callbacks.insert(.beforeAttempts)
    var machine = MutationMachine(runOptions: runOptions, isFirst: true, at: .seconds(0))
    let online = Environment(now: .seconds(0))
    let offline = Environment(now: .seconds(0), isOnline: false)
    let begun = machine.begun(in: online)
    expect(begun.step == .prepare && begun.changed)
    let changes = [offline, offline, online, online].map { environment in
      (machine.environmentChanged(in: environment).changed, machine.isPaused)
    }
    expectEqual(changes.map(\.0), [true, false, true, false])
    expectEqual(changes.map(\.1), [true, true, false, false])
  }

  @Test func aRunThatIsPreparedIsHeldUpUntilItIsTheFirst() {
    var runOptions = RunOptions()
    runOptions.callbacks.insert(.beforeAttempts)
    var machine = MutationMachine(runOptions: runOptions, isFirst: false, at: .seconds(0))
    let environment = Environment(now: .seconds(0))
    expectEqual(machine.begun(in: environment).step, .prepare)
    expect(machine.isPaused)
    expect(machine.reachedFront(in: environment).changed)
    expect(!machine.isPaused)
    expectEqual(machine.prepared(in: environment).step, .perform)
  }

  @Test func theOutcomeIsDecidedWhenTheWorkIsDone() {
    var machine = running { $0.callbacks = .afterOutcome }
    let environment = Environment(now: .seconds(1))
    expect(machine.isUndecided)
    expect(machine.attemptSucceeded(in: environment).changed)
    expectEqual(machine.phase, .settling(.succeeded))
    expect(!machine.isUndecided)
    expect(machine.callbacksEnded(in: environment).changed)
    expect(!machine.isUndecided)
  }

  @Test func aRunThatIsCancelledWhileItsPreparationIsHeldUpIsNotPausedAnyMore() {
    var runOptions = RunOptions()
    runOptions.callbacks.insert(.beforeAttempts)
    var machine = MutationMachine(runOptions: runOptions, isFirst: false, at: .seconds(0))
    let environment = Environment(now: .seconds(0))
    _ = machine.begun(in: environment)
    _ = machine.environmentChanged(in: Environment(now: .seconds(0), isOnline: false))
    expect(machine.isPaused)
    let told = machine.cancelRequested(in: environment)
    expect(told.changed && told.step == .cancel)
    expect(!machine.isPaused)
  }

  // Law 10
  @Test func workThatReturnsInSpiteOfACancellationIsDone() {
    var machine = running()
    let told = machine.cancelRequested(in: Environment(now: .seconds(1)))
    expectEqual(told.step, .cancel)
    let again = machine.cancelRequested(in: Environment(now: .seconds(1)))
    expectEqual(again, .none)
    let actions = machine.attemptSucceeded(in: Environment(now: .seconds(2)))
    expectEqual(actions.ended, .succeeded)
  }

  // Law 10
  @Test func workThatFailsAfterACancellationWasCancelled() {
    var machine = running()
    _ = machine.cancelRequested(in: Environment(now: .seconds(1)))
    let actions = machine.attemptFailed(
      retryAfter: .seconds(1),
      isCancellation: false,
      in: Environment(now: .seconds(2))
    )
    expectEqual(actions.ended, .cancelled)
    expect(actions.expired)
  }
}

struct RunQueueTests {
  private func id(_ serial: UInt64) -> MutationID { MutationID(index: 0, serial: serial) }

  // T66
  @Test func everyOrderOfLeavingMakesTheNextOneFirst() {
    // Four runs leave one scope in each of the 24 orders.
    for order in permutations([1, 2, 3, 4] as [UInt64]) {
      var scopes: [String: RunQueue] = [:]
      for serial in 1...4 as ClosedRange<UInt64> {
        let isFirst = scopes.join(id(serial), "s")
        expectEqual(isFirst, serial == 1)
      }
      var present: [UInt64] = [1, 2, 3, 4]
      for leaver in order {
        let wasFirst = present.first == leaver
        present.removeAll { $0 == leaver }
        let next = scopes.leave(id(leaver), "s")
        expectEqual(next, wasFirst ? present.first.map(id) : nil)
        expectEqual(scopes["s"]?.first?.serial, present.first)
      }
      expectEqual(scopes.count, 0)
    }
  }

  // T66
  @Test func aLongScopeGivesItsRoomBack() throws {
    var scopes: [String: RunQueue] = [:]
    for serial in 1...10_000 as ClosedRange<UInt64> { _ = scopes.join(id(serial), "s") }
    for serial in 1..<10_000 as Range<UInt64> {
      let next = scopes.leave(id(serial), "s")
      expectEqual(next, id(serial + 1))
    }
    expectEqual(scopes["s"]?.first, id(10_000))
    let queue = try #require(scopes["s"])
    let room = try #require(Mirror(reflecting: queue).descendant("rest") as? [MutationID])
    #expect(room.count < 100)
    let last = scopes.leave(id(10_000), "s")
    expectNil(last)
    expectEqual(scopes.count, 0)
    let isFirst = scopes.join(id(1), nil)
    expect(isFirst)
  }

  @Test func aRunIsInsertedBeforeAllNewerOnesOrBehindAFirstOneThatStays() {
    for order in permutations([1, 2, 3, 4] as [UInt64]) {
      var queue = RunQueue()
      var kept = RunQueue()
      for serial in order {
        queue.insert(id(serial))
        kept.insert(id(serial), keepsFirst: true)
      }
      expectEqual(queue.map(\.serial), [1, 2, 3, 4])
      expectEqual(kept.map(\.serial), order.prefix(1) + order.dropFirst().sorted())
    }
  }

  /// The first run stayed when 2 came, because it was at work, and need not stay any more.
  @Test func theRunsBehindAFirstOneStayInTheirOrderWhenAnOlderOneComesBeforeIt() {
    for serial in [1, 3, 4, 6] as [UInt64] {
      var queue = RunQueue()
      for stayed in [5, 2] as [UInt64] { queue.insert(id(stayed), keepsFirst: true) }
      queue.insert(id(serial))
      // Only a run that is older than all others comes before the first one.
      var present: [UInt64] = serial == 1 ? [1, 2, 5] : [5] + [2, serial].sorted()
      expectEqual(queue.map(\.serial), present)
      for leaver in [2, 5, serial] {
        queue.remove(id(leaver))
        present.removeAll { $0 == leaver }
        expectEqual(queue.map(\.serial), present)
      }
    }
  }

  private func permutations(_ items: [UInt64]) -> [[UInt64]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { item in
      permutations(items.filter { $0 != item }).map { [item] + $0 }
    }
  }
}
