@testable import StreamQuery

/// A small world around an entry machine: every input, few observers, times in whole seconds.
struct EntryWorld {
  enum Input: CaseIterable {
    case observePolling, observeQuiet, leavePolling, leaveQuiet, pollingToQuiet, quietToPolling
    case wait, stopWaiting, refetch, joinRefetch, addPage
    case succeed, failAndRetry, failForGood, cancelItself
    case cancel, write, fence, seed, mark, invalidate, clear
    case network, focus, tick, timer
  }

  /// Enabled, stale after two seconds, polls every three.
  static let polling = ObserverProfile.make(
    staleAfter: .seconds(2),
    interval: .seconds(3),
    inBackground: .infinite
  )
  /// Disabled, lingers for a second, is kept for a second.
  static let quiet = ObserverProfile.make(enabled: false, gcTime: .seconds(1), linger: .seconds(1))

  var machine = EntryMachine(at: .zero)
  var world = World(now: .seconds(0))
  /// When each polling observer began.
  var bases: [Moment] = []
  var quietCount = 0
  private(set) var effects = EntryEffects.none

  init(_ abandonment: Abandonment, _ networkMode: NetworkMode) {
    var terms = FetchTerms()
    terms.abandonment = abandonment
    terms.networkMode = networkMode
    machine.planned(terms: terms, gcTime: .seconds(4))
  }

  /// Whether the shell could make this input now.
  func allows(_ input: Input) -> Bool {
    switch input {
    case .observePolling: bases.count < 2
    case .observeQuiet: quietCount < 1
    case .leavePolling: !bases.isEmpty
    case .pollingToQuiet: !bases.isEmpty && quietCount < 1
    case .leaveQuiet: quietCount > 0
    case .quietToPolling: quietCount > 0 && bases.count < 2
    case .wait: machine.waiterCount < 2
    case .stopWaiting: machine.waiterCount > 0
    case .succeed, .failAndRetry, .failForGood, .cancelItself: isRunning
    case .cancel: !machine.isIdle
    case .seed: !machine.hasData
    case .timer: machine.nextDeadline(in: world).map { $0 <= world.now.moment } ?? false
    case .refetch, .joinRefetch, .addPage, .write, .fence, .mark, .invalidate, .clear, .network,
      .focus, .tick:
      true
    }
  }

  private var isRunning: Bool { if case .running = machine.phase { true } else { false } }
  private var id: FetchID { machine.current?.id ?? FetchID(rawValue: 0) }

  mutating func apply(_ input: Input) {
    effects = .none
    switch input {
    case .observePolling:
      bases.append(world.now.moment)
      effects = machine.observed(by: Self.polling, in: world)
    case .observeQuiet:
      quietCount += 1
      effects = machine.observed(by: Self.quiet, in: world)
    case .leavePolling:
      effects = machine.unobserved(by: Self.polling, since: bases.removeFirst(), in: world)
    case .leaveQuiet:
      quietCount -= 1
      effects = machine.unobserved(by: Self.quiet, since: world.now.moment, in: world)
    case .pollingToQuiet:
      quietCount += 1
      effects =
        machine.reobserved(
          from: Self.polling,
          since: bases.removeFirst(),
          to: Self.quiet,
          in: world
        ).0
    case .quietToPolling:
      quietCount -= 1
      let (effects, base) = machine.reobserved(
        from: Self.quiet,
        since: world.now.moment,
        to: Self.polling,
        in: world
      )
      self.effects = effects
      bases.append(base)
    case .wait:
      effects = machine.requested(.manual, in: world)
      machine.waiterJoined()
    case .stopWaiting: effects = machine.waiterLeft(in: world)
    case .refetch: effects = refetch(superseding: true)
    case .joinRefetch: effects = refetch(superseding: false)
    case .addPage:
      effects = machine.requested(
        .manual,
        superseding: true,
        clientLease: machine.observerCount == 0,
        direction: .next,
        in: world
      )
    case .succeed: effects = machine.attemptSucceeded(id, in: world)
    case .failAndRetry:
      effects = machine.attemptFailed(id, retryAfter: .seconds(1), in: world)
    case .failForGood: effects = machine.attemptFailed(id, retryAfter: nil, in: world)
    case .cancelItself: effects = machine.attemptCancelled(id, in: world)
    case .cancel: effects = machine.cancelRequested(in: world)
    case .write: effects = machine.written(updatedAt: world.now, fencing: false, in: world)
    case .fence: effects = machine.written(updatedAt: world.now, fencing: true, in: world)
    case .seed: effects = machine.seeded(updatedAt: world.now, in: world)
    case .mark: effects = machine.invalidated(in: world)
    case .invalidate:
      // As the shell does it: who is active is refetched in the same turn.
      effects = machine.invalidated(in: world)
      guard machine.isActive else { return }
      let isChanged = effects.changed
      effects = machine.requested(.invalidated, superseding: true, in: world)
      effects.changed = effects.changed || isChanged
    case .clear: effects = machine.cleared(in: world)
    case .network:
      world.isOnline.toggle()
      effects = machine.worldChanged(world.isOnline ? .reconnect : nil, in: world)
    case .focus:
      world.isActive.toggle()
      effects = machine.worldChanged(world.isActive ? .active : nil, in: world)
    case .tick:
      world.now.moment.nanoseconds += 1_000_000_000
      world.now.date += 1
    case .timer: effects = machine.timeReached(in: world)
    }
  }

  private mutating func refetch(superseding: Bool) -> EntryEffects {
    machine.requested(
      .manual,
      superseding: superseding,
      clientLease: machine.observerCount == 0,
      in: world
    )
  }
}

// MARK: What must hold

extension EntryWorld {
  /// The rules that a step from another world broke.
  func broken(after input: Input, from old: EntryWorld) -> [String] {
    var broken = machine.brokenInvariants(at: world.now.moment)
    func rule(_ name: String, _ holds: Bool) { if !holds { broken.append(name) } }
    let current = machine.current?.id

    if let started = effects.started {
      rule("what started runs, or was abandoned at once", isRunning && current == started)
    }
    if let cancelled = effects.cancelled {
      rule("what was cancelled was in flight", cancelled == old.machine.current?.id)
      rule("what was cancelled is not in flight", cancelled != current)
    }
    if effects.ended != nil {
      rule("what ended was in flight", old.machine.current != nil)
      rule("what ended is not in flight", old.machine.current?.id != current)
      rule("who waited was answered", machine.waiterCount == 0)
    } else if let was = old.machine.current?.id, was != current {
      rule(
        "only a replaced fetch goes without an end",
        effects.started == current || effects.paused
      )
    }
    if case .succeed = input, let answered = old.machine.current {
      rule(
        "no answer clears a mark that came after it was asked for",
        !answered.predatesMark || machine.isInvalidated
      )
      let isWanted = machine.isActive || answered.hasClientLease
      rule(
        "one more fetch follows exactly if one was asked for and is wanted",
        (machine.current != nil) == (answered.successor != nil && isWanted)
      )
    } else if let replaced = old.machine.current, let current = machine.current,
      replaced.id != current.id, effects.ended == nil
    {
      rule(
        "only a page takes the place of a fetch at the bound",
        current.direction != nil
          || replaced.supersessions < EntryMachine.supersessionLimit
      )
    }
    if case .timer = input {
      var only = EntryEffects()
      only.expired = true
      let isExpired = old.machine.isExpired(at: world.now.moment)
      rule("what has expired does nothing else", effects == only || !isExpired)
      rule(
        "what expires has expired before it is asked, or as its fetch ended",
        isExpired || !effects.expired || effects.ended != nil
      )
    }
    rule("who rests is paused", !effects.paused || machine.isPaused)
    rule("who came to rest says so", !machine.isPaused || old.machine.isPaused || effects.paused)
    rule(
      "a new attempt is told to the shell",
      !isRunning || old.isRunning && old.machine.current?.id == current || effects.started != nil
    )
    rule(
      "what expires is idle and unwanted",
      !effects.expired || machine.isIdle && !machine.isWanted
    )
    rule("who sees a difference is told", shows(the: old) || effects.changed)
    // `invalidated` may change nothing that is seen; a late timer may have nothing left to do.
    rule("the timer deals with what is due", input != .timer || isCaughtUp)
    rule("late answers change nothing", ignoresLateAnswers)
    return broken
  }

  /// Whether consumers see the same as in another world, the passing of time aside.
  private func shows(the old: EntryWorld) -> Bool {
    machine.hasData == old.machine.hasData && machine.isError == old.machine.isError
      && machine.isPaused == old.machine.isPaused && machine.isFetching == old.machine.isFetching
      && machine.cause == old.machine.cause && machine.failureCount == old.machine.failureCount
      && machine.dataUpdatedAt == old.machine.dataUpdatedAt
      && machine.errorUpdatedAt == old.machine.errorUpdatedAt
      && machine.counts == old.machine.counts
      && machine.isInvalidated == old.machine.isInvalidated
  }

  private var isCaughtUp: Bool {
    effects.expired || machine.nextDeadline(in: world).map { $0 > world.now.moment } ?? true
  }

  private var ignoresLateAnswers: Bool {
    let old = FetchID(rawValue: machine.fetchSerial &- 1)
    var copy = machine
    let effects = [
      copy.attemptSucceeded(old, in: world),
      copy.attemptFailed(old, retryAfter: .zero, in: world),
      copy.attemptCancelled(old, in: world),
    ]
    return effects == [.none, .none, .none] && copy == machine
  }
}

// MARK: Telling worlds apart

extension EntryWorld {
  /// The same for worlds that differ only in when they are and in how much they counted.
  var fingerprint: [Int16] {
    var print: [Int16] = []
    func add(_ value: Bool) { print.append(value ? 1 : 0) }
    func add(_ value: Int) { print.append(Int16(clamping: value)) }
    // Beyond the longest span only the place in the rhythm of three seconds matters.
    func add(_ moment: Moment?) {
      guard let moment else { return add(99) }
      let age = Int((world.now.moment.nanoseconds - moment.nanoseconds) / 1_000_000_000)
      add(age > 12 ? 12 + age % 3 : age)
    }
    switch machine.phase {
    case .idle: add(0)
    case .running: add(1)
    case .waiting(_, let until):
      add(2)
      add(until)
    case .paused(_, before: .firstAttempt): add(3)
    case .paused(_, before: .retry): add(4)
    }
    if let current = machine.current {
      add(current.hasClientLease)
      add(current.stopsRetrying)
      add(current.lingersUntil)
      add(current.direction == nil)
      add(current.predatesMark)
      add(current.successor == nil)
      add(Int(current.supersessions))
      add(current.undo.isError)
      add(min(current.undo.failureCount, 1))
      add(current.undo.cause == nil)
    }
    add(machine.hasData)
    add(machine.isError)
    add(machine.isInvalidated)
    add(machine.cause == nil)
    add(machine.dataUpdatedAt.moment)
    add(min(machine.dataUpdateCount, 1))
    add(min(machine.errorUpdateCount, 1))
    add(min(machine.failureCount, 1))
    add(bases.count)
    add(quietCount)
    add(machine.waiterCount)
    // The observers' own bases count as far as no beat came since.
    for base in bases where base > machine.lastBeat { add(base) }
    add(machine.lastBeat)
    add(machine.toldUntil)
    add(machine.polledUntil)
    add(machine.leaverGcTime == nil)
    if !machine.isWanted { add(machine.unwantedSince) }
    add(world.isOnline)
    add(world.isActive)
    return print
  }
}
