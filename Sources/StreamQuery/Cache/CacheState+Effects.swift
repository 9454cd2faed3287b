#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheState {
  /// Carries out what a machine decided.
  mutating func apply(_ effects: EntryEffects, _ index: Int, _ turn: inout Turn) {
    if effects.unshelved { unshelve(index, &turn) }
    if effects.shelved { shelve(index, &turn) }
    if slots[index].shelved != nil, slots[index].machine.current?.undo.shelved == nil {
      turn.drop(slots[index].shelved)
      slots[index].shelved = nil
    }
    if effects.cancelled != nil { cancelJob(index, turn, isBegunAnew: effects.isBegunAnew) }
    if let ending = effects.ended { end(ending, index, &turn) }
    if effects.started != nil { start(index, &turn, isFirst: effects.isBegunAnew) }
    if effects.paused { pause(index, isNews: effects.changed, turn) }
    if effects.changed { refresh(index, &turn) }
    if countsFetches, effects.concernsFetch || slots[index].machine.isFetching,
      errands.last?.isRecount != true
    {
      errands.append(.recount)
    }
    if effects.expired, slots[index].consumers.isEmpty {
      drop(index, reason: .expired, &turn)
    } else {
      settleBookkeeping(index, turn)
    }
  }

  /// Brings deadline and live list in line with the machine.
  mutating func settleBookkeeping(_ index: Int, _ turn: Turn) {
    setDeadline(slots[index].machine.nextDeadline(in: turn.world), index)
    setLive(slots[index].machine.observerCount > 0 || !slots[index].machine.isIdle, index)
  }

  /// Takes data out of sight, until its fetch has something to show or is cancelled.
  private mutating func shelve(_ index: Int, _ turn: inout Turn) {
    turn.drop(slots[index].shelved)
    slots[index].shelved = slots[index].data
    slots[index].data = nil
  }

  private mutating func unshelve(_ index: Int, _ turn: inout Turn) {
    turn.drop(slots[index].data)
    slots[index].data = slots[index].shelved
    slots[index].shelved = nil
  }

  private mutating func cancelJob(_ index: Int, _ turn: Turn, isBegunAnew: Bool) {
    guard let job = slots[index].job else { return }
    slots[index].job = isBegunAnew ? makeJob(index, turn, like: job) : nil
    emit(.fetchCancelled, index, turn, job: job)
    errands.append(.cancel(job))
  }

  private mutating func end(_ ending: FetchEnding, _ index: Int, _ turn: inout Turn) {
    let job = slots[index].job
    slots[index].job = nil
    if !slots[index].awaits.isEmpty { slots[index].awaits = [] }
    switch ending {
    case .succeeded:
      emit(.fetchSucceeded, index, turn, job: job)
      turn.drop(slots[index].failureReason)
      slots[index].failureReason = nil
    case .failed:
      let reason = slots[index].failureReason
      turn.drop(slots[index].error)
      slots[index].error = reason
      if let reason { emit(.fetchFailed(reason.error), index, turn, job: job) }
    case .cancelled:
      // What was there before is there again: the reason of an old failure is that failure.
      turn.drop(slots[index].failureReason)
      slots[index].failureReason = slots[index].error
    case .replaced, .removed:
      break
    }
    turn.drop(job)
    landOnLayers(index, &turn)
    answerWaiters(ending, index)
  }

  private mutating func answerWaiters(_ ending: FetchEnding, _ index: Int) {
    let waiters = slots[index].waiters
    slots[index].waiterRound &+= 1
    guard !waiters.isEmpty else { return }
    slots[index].waiters = []
    slots[index].goneWaiters = 0
    for waiter in waiters where waiter.caller != nil { forgetWait(of: waiter) }
    let outcome: WaitOutcome
    switch ending {
    case .succeeded, .replaced: outcome = slots[index].visible.map(WaitOutcome.value) ?? .cancelled
    case .failed: outcome = slots[index].error.map { .failure($0.error) } ?? .cancelled
    case .cancelled:
      // The reference answers with what is there again, and so do we.
      outcome =
        slots[index].machine.hasData
        ? slots[index].visible.map(WaitOutcome.value) ?? .cancelled : .cancelled
    case .removed: outcome = .cancelled
    }
    errands.append(.settle(waiters, outcome))
  }

  /// Runs an attempt of the current fetch: the first makes its job.
  private mutating func start(_ index: Int, _ turn: inout Turn, isFirst: Bool) {
    guard let current = slots[index].machine.current else { return }
    let job: FetchJob
    if let present = slots[index].job, present.id == current.id {
      job = present
      emit(isFirst ? .fetchStarted : .fetchResumed, index, turn, job: job)
    } else if let made = makeJob(index, turn) {
      job = made
      slots[index].job = job
      emit(.fetchStarted, index, turn, job: job)
    } else {
      return
    }
    errands.append(.start(job, attempt: slots[index].machine.failureCount))
  }

  private mutating func pause(_ index: Int, isNews: Bool, _ turn: Turn) {
    // Said again for those who just began to watch; it is told once.
    var begins = isNews && slots[index].frame?.fetchStatus != .paused
    if slots[index].job == nil {
      slots[index].job = makeJob(index, turn)
      emit(.fetchStarted, index, turn, job: slots[index].job)
      begins = true
    }
    if begins { emit(.fetchPaused, index, turn, job: slots[index].job) }
    let patient = slots[index].waiters.filter { $0.role != .watchingUntilPaused }
    guard patient.count < slots[index].waiters.count else { return }
    let released = slots[index].waiters.filter { $0.role == .watchingUntilPaused }
    slots[index].waiters = patient
    for waiter in released where waiter.caller != nil { forgetWait(of: waiter) }
    errands.append(.settle(released, .settled))
  }

  private func makeJob(_ index: Int, _ turn: Turn, like former: FetchJob? = nil) -> FetchJob? {
    guard let current = slots[index].machine.current, let key = slots[index].key,
      let plan = slots[index].plan, let fetch = plan.fetch
    else { return nil }
    let isImperative = slots[index].machine.cause == .manual && turn.isImperative
    let job = FetchJob(
      entry: id(of: index),
      id: current.id,
      key: key,
      plan: plan,
      fetch: fetch,
      retry: former?.retry ?? (isImperative ? plan.imperativeRetry : plan.retry),
      cause: slots[index].machine.cause ?? .manual,
      startedAt: turn.world.now,
      direction: current.direction,
      pageCount: former?.pageCount ?? turn.pageCount
    )
    if let former { job.beginsAnew(former) }
    return job
  }

  mutating func makeEvent(
    _ kind: QueryEvent.Kind,
    _ key: AnyQueryKey,
    _ turn: Turn,
    job: FetchJob?
  ) -> QueryEvent {
    makeEvent(kind, key, turn, cause: job?.cause, since: job?.startedAt)
  }

  mutating func makeEvent(
    _ kind: QueryEvent.Kind,
    _ key: AnyQueryKey,
    _ turn: Turn,
    cause: FetchCause? = nil,
    since start: Timestamp?
  ) -> QueryEvent {
    eventSerial += 1
    let now = turn.world.now
    return QueryEvent(
      number: eventSerial,
      kind: kind,
      key: key,
      date: Date(timeIntervalSinceReferenceDate: now.date),
      cause: cause,
      duration: start.map { .nanoseconds(now.moment.nanoseconds - $0.moment.nanoseconds) }
    )
  }

  // MARK: Waiters

  /// Registers a caller with the current fetch of an entry.
  mutating func wait(
    _ index: Int,
    role: Waiter.Role,
    gathering: Gathering? = nil,
    _ turn: Turn
  ) -> Waiter {
    let caller = fetch(of: turn)
    let waiter = Waiter(
      role: role,
      entry: id(of: index),
      round: slots[index].waiterRound,
      caller: caller.map(id(of:)),
      gathering: gathering
    )
    if let caller { slots[caller].awaits.append(id(of: index)) }
    slots[index].waiters.append(waiter)
    if role == .leasing { slots[index].machine.waiterJoined() }
    return waiter
  }

  /// Takes a cancelled caller out; its lease ends.
  mutating func leave(_ waiter: Waiter, _ turn: inout Turn) {
    guard let index = find(waiter.entry) else { return }
    // Answered in an earlier turn, though it did not hear of it yet.
    guard waiter.round == slots[index].waiterRound else { return }
    forgetWait(of: waiter)
    waiterWent(index, &turn)
    if waiter.role == .leasing {
      apply(slots[index].machine.waiterLeft(in: turn.world), index, &turn)
    }
  }

  /// Takes the waiters of a cancelled bulk call out; they held no leases.
  mutating func leave(_ gathering: Gathering, _ turn: inout Turn) {
    for entry in gathering.entries {
      if let index = find(entry) { waiterWent(index, &turn) }
    }
  }

  /// Takes waiters out whose callers left, all together once they are more than the others: so each
  /// pays a constant.
  private mutating func waiterWent(_ index: Int, _ turn: inout Turn) {
    guard !slots[index].waiters.isEmpty else { return }
    slots[index].goneWaiters += 1
    guard slots[index].goneWaiters * 2 > slots[index].waiters.count else { return }
    let waiters = slots[index].waiters
    slots[index].waiters = waiters.filter { !$0.isResolved }
    slots[index].goneWaiters = 0
    // Some may be the last to hold an error that is the user's.
    for waiter in waiters where waiter.isResolved {
      if waiter.role != .leasing { forgetWait(of: waiter) }
      turn.drop(waiter)
    }
  }
}
