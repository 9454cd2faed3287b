@testable import StreamQuery

/// A small world around an entry machine: every input, few observers, times in whole seconds.
struct EntryWorld {
  enum Input: CaseIterable {
    case observePolling, observeQuiet, leavePolling, leaveQuiet, pollingToQuiet, quietToPolling
    case wait, stopWaiting, refetch, joinRefetch, addPage
    case turn, succeed, keep, failAndRetry, failKeepingPart, failForGood, cancelItself
    case cancel, write, fence, seeded, mark, markJoining, invalidate, clear
    case network, focus, tick, timer
  }

  /// Enabled, stale after two seconds, polls every three.
  static let polling = ResolvedObserverOptions.make(
    staleAfter: .seconds(2),
    interval: .seconds(3),
    inBackground: .infinite
  )
  /// Disabled, lingers for a second, is kept for a second.
  static let quiet = ResolvedObserverOptions.make(
    enabled: false,
    gcTime: .seconds(1),
    linger: .seconds(1)
  )

  var machine = EntryMachine(at: .zero)
  var environment = Environment(now: .seconds(0))
  /// When each polling observer began.
  var bases: [Instant] = []
  var quietCount = 0
  private(set) var actions = EntryActions.none
  /// What the world knows itself of answers and invalidations.
  private(set) var ages = EntryAges()

  /// - Parameters:
  ///   - abandonment: What happens to a fetch that nobody wants.
  ///   - networkMode: What happens to it while offline.
  ///   - isFull: Whether each attempt waits for its turn.
  init(_ abandonment: Abandonment, _ networkMode: NetworkMode, isFull: Bool = false) {
    ages.isFull = isFull
    var fetchOptions = FetchOptions()
    fetchOptions.abandonment = abandonment
    fetchOptions.networkMode = networkMode
    machine.adopted(fetchOptions: fetchOptions, gcTime: .seconds(4))
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
    case .turn: isRunning && ages.isWaiting
    case .succeed, .keep, .failAndRetry, .failKeepingPart, .failForGood, .cancelItself:
      isRunning && !ages.isWaiting
    case .cancel: !machine.isIdle
    case .seeded: !machine.hasData
    case .timer:
      machine.deadline(in: environment).map { $0 <= environment.now.instant } ?? false
    case .refetch, .joinRefetch, .addPage, .write, .fence, .mark, .markJoining, .invalidate, .clear,
      .network, .focus, .tick:
      true
    }
  }

  private var isRunning: Bool { machine.stage == .running }
  private var id: FetchID { machine.fetch?.id ?? FetchID(rawValue: 0) }

  mutating func apply(_ input: Input) {
    let old = machine
    perform(input)
    ages.follow(input, from: old, to: machine, actions)
  }

  private mutating func perform(_ input: Input) {
    actions = .none
    switch input {
    case .observePolling:
      bases.append(environment.now.instant)
      actions = machine.observed(by: Self.polling, in: environment)
    case .observeQuiet:
      quietCount += 1
      actions = machine.observed(by: Self.quiet, in: environment)
    case .leavePolling:
      actions = machine.unobserved(by: Self.polling, since: bases.removeFirst(), in: environment)
    case .leaveQuiet:
      quietCount -= 1
      actions = machine.unobserved(by: Self.quiet, since: environment.now.instant, in: environment)
    case .pollingToQuiet:
      quietCount += 1
      actions =
        machine.reobserved(
          from: Self.polling,
          since: bases.removeFirst(),
          to: Self.quiet,
          in: environment
        ).0
    case .quietToPolling:
      quietCount -= 1
      let (actions, base) = machine.reobserved(
        from: Self.quiet,
        since: environment.now.instant,
        to: Self.polling,
        in: environment
      )
      self.actions = actions
      bases.append(base)
    case .wait:
      actions = machine.requested(.manual, in: environment)
      machine.waiterJoined()
    case .stopWaiting: actions = machine.waiterLeft(in: environment)
    case .refetch: actions = refetch(superseding: true)
    case .joinRefetch: actions = refetch(superseding: false)
    case .addPage:
      actions = machine.requested(
        .manual,
        joining: .irreplaceable,
        clientLease: machine.observerCount == 0,
        part: .nextPage,
        in: environment
      )
    case .turn: actions = machine.turnCame(in: environment)
    case .succeed: actions = machine.attemptSucceeded(id, in: environment).actions
    case .keep: actions = machine.attemptKept(id, in: environment).actions
    case .failAndRetry:
      actions = machine.attemptFailed(id, retryAfter: .seconds(1), in: environment).actions
    case .failKeepingPart:
      actions =
        machine.attemptFailed(id, retryAfter: .seconds(1), keepsPart: true, in: environment)
        .actions
    case .failForGood: actions = machine.attemptFailed(id, retryAfter: nil, in: environment).actions
    case .cancelItself: actions = machine.attemptCancelled(id, in: environment).actions
    case .cancel: actions = machine.cancelRequested(in: environment)
    case .write:
      actions = machine.written(updatedAt: environment.now, fencing: false, in: environment)
    case .fence:
      actions = machine.written(updatedAt: environment.now, fencing: true, in: environment)
    case .seeded: actions = machine.initialDataPlaced(updatedAt: environment.now, in: environment)
    case .mark: actions = machine.invalidated(in: environment)
    case .markJoining: actions = machine.invalidated(isJoining: true, in: environment)
    case .invalidate:
      // As the shell does it: who is active is refetched in the same transaction.
      actions = machine.invalidated(in: environment)
      guard machine.isActive else { return }
      let isChanged = actions.changed
      actions = machine.requested(.invalidated, joining: .irreplaceable, in: environment)
      actions.changed = actions.changed || isChanged
    case .clear: actions = machine.cleared(in: environment)
    case .network:
      environment.isOnline.toggle()
      actions = machine.environmentChanged(environment.isOnline ? .reconnect : nil, in: environment)
    case .focus:
      environment.isActive.toggle()
      actions = machine.environmentChanged(environment.isActive ? .active : nil, in: environment)
    case .tick:
      environment.now.instant.nanoseconds += 1_000_000_000
      environment.now.date += 1
    case .timer: actions = machine.timeReached(in: environment)
    }
  }

  private mutating func refetch(superseding: Bool) -> EntryActions {
    machine.requested(
      .manual,
      joining: EntryMachine.Joining(superseding: superseding),
      clientLease: machine.observerCount == 0,
      in: environment
    )
  }
}

// MARK: What must hold

extension EntryWorld {
  /// The rules that a step from another world broke.
  func broken(after input: Input, from old: EntryWorld) -> [String] {
    var broken = machine.brokenInvariants(at: environment.now.instant)
    func rule(_ name: String, _ holds: Bool) { if !holds { broken.append(name) } }
    let current = machine.fetch?.id

    if let started = actions.started {
      rule("what started runs, or was abandoned at once", isRunning && current == started)
    }
    if let cancelled = actions.cancelled?.id {
      rule("what was cancelled was in flight", cancelled == old.machine.fetch?.id)
      rule("what was cancelled is not in flight", cancelled != current)
    }
    if actions.ended != nil {
      rule("what ended was in flight", old.machine.fetch != nil)
      rule("what ended is not in flight", old.machine.fetch?.id != current)
      rule("who waited was answered", machine.waiterCount == 0)
    } else if let was = old.machine.fetch?.id, was != current {
      rule(
        "only a replaced fetch goes without an end",
        actions.started == current || actions.paused
      )
    }
    if machine.hasData {
      rule(
        "data that began before an invalidation is marked, and no other",
        machine.isKnownToHaveChanged == ages.isDataOutdated
      )
    } else {
      rule(
        "a mark without data stays until there is some",
        machine.isKnownToHaveChanged == ages.isEmptyMarked
      )
    }
    if input == .succeed || input == .keep && actions.ended == .kept,
      let answered = old.machine.fetch
    {
      let isPage = answered.successorPart != .whole && !answered.isAbandoned
      let isWanted = machine.isActive || answered.hasClientLease || isPage
      rule(
        "one more fetch follows exactly if one was asked for and is wanted, or is a page",
        (machine.fetch != nil) == (answered.successor != nil && isWanted)
      )
    } else if let replaced = old.machine.fetch, let current = machine.fetch,
      replaced.id != current.id, actions.ended == nil
    {
      rule(
        "nothing takes the place of a fetch at the bound",
        replaced.supersessions < EntryMachine.supersessionLimit
      )
    }
    if case .timer = input {
      var only = EntryActions()
      only.step = .drop
      let isExpired = old.machine.isExpired(at: environment.now.instant)
      rule("what has expired does nothing else", actions == only || !isExpired)
      rule(
        "what expires has expired before it is asked, or as its fetch ended",
        isExpired || actions.step != .drop || actions.ended != nil
      )
    }
    rule("who rests is paused", !actions.paused || machine.isPaused)
    rule("who came to rest says so", !machine.isPaused || old.machine.isPaused || actions.paused)
    rule(
      "a new attempt is told to the shell",
      !isRunning || old.isRunning && old.machine.fetch?.id == current || actions.started != nil
    )
    rule(
      "what expires is idle and unwanted",
      actions.step != .drop || machine.isIdle && !machine.isWanted
    )
    rule("who sees a difference is told", shows(the: old) || actions.changed)
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
    actions.step == .drop
      || machine.deadline(in: environment).map { $0 > environment.now.instant } ?? true
  }

  private var ignoresLateAnswers: Bool {
    let old = FetchID(rawValue: machine.fetchSerial &- 1)
    var copy = machine
    let outcomes = [
      copy.attemptSucceeded(old, in: environment),
      copy.attemptFailed(old, retryAfter: .zero, in: environment),
      copy.attemptCancelled(old, in: environment),
    ]
    return outcomes == [.late, .late, .late] && copy == machine
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
    func add(_ instant: Instant?) {
      guard let instant else { return add(99) }
      let age = Int((environment.now.instant.nanoseconds - instant.nanoseconds) / 1_000_000_000)
      add(age > 12 ? 12 + age % 3 : age)
    }
    switch machine.stage {
    case nil: add(0)
    case .running: add(1)
    case .waiting(let until):
      add(2)
      add(until)
    case .deferred(let until):
      add(5)
      add(until)
    case .paused(before: .firstAttempt): add(3)
    case .paused(before: .retry): add(4)
    }
    if let current = machine.fetch {
      add(current.hasClientLease)
      add(current.stopsRetrying)
      add(current.lingersUntil)
      let promise = current.lingerPromise
      let isOver = promise?.rest(at: environment.now.instant) == nil
      add(isOver ? nil : promise.flatMap { $0.since + $0.span })
      add(current.part == .whole)
      add(ages.isAnswerOutdated)
      add(ages.isBaseOutdated)
      add(ages.isWaiting)
      add(current.beginning == .continued)
      add(current.attempt.wasWritten)
      add(current.successor == nil)
      add(current.successorPart == .whole)
      add(Int(current.supersessions))
      add(current.undo.isError)
      add(min(current.undo.failureCount, 1))
      add(current.undo.cause == nil)
    }
    add(machine.hasData)
    add(machine.isError)
    add(machine.isInvalidated)
    add(machine.isKnownToHaveChanged)
    add(machine.cause == nil)
    add(machine.dataUpdatedAt.instant)
    add(min(machine.dataUpdateCount, 1))
    add(min(machine.errorUpdateCount, 1))
    add(min(machine.failureCount, 1))
    add(bases.count)
    add(quietCount)
    add(machine.waiterCount)
    // The observers' own bases count as far as no beat came since.
    for base in bases where base > machine.lastTick { add(base) }
    add(machine.lastTick)
    if case .none(let toldUntil) = machine.mark { add(toldUntil) }
    add(machine.polledUntil)
    add(machine.leaverGcTime == nil)
    if !machine.isWanted { add(machine.unwantedSince) }
    add(environment.isOnline)
    add(environment.isActive)
    return print
  }
}
