#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheState {
  /// Carries out what a machine decided.
  mutating func apply(_ effects: EntryEffects, _ index: Int, _ turn: inout Turn) {
    noteChange(of: index)
    if effects.unshelved { unshelve(index, &turn) }
    if effects.shelved { shelve(index, &turn) }
    if slots[index].hasShelf, slots[index].machine.current?.undo.shelved == nil {
      turn.drop(slots[index].shelved)
      slots[index].shelved = nil
    }
    if effects.cancelled != nil { cancelJob(index, &turn, isBegunAnew: effects.isBegunAnew) }
    let watchers = effects.ended == nil ? [] : unobservedWatchers(of: index)
    if let ending = effects.ended { end(ending, index, &turn) }
    if effects.started != nil { start(index, &turn, isFirst: effects.isBegunAnew) }
    if effects.paused { pause(index, isNews: effects.changed, &turn) }
    if effects.changed { refresh(index, &turn) }
    if !watchers.isEmpty, effects.ended != .removed {
      let end = EntryEnd(frame: frame(index), machine: slots[index].machine)
      for watcher in watchers { watcher.note(end) }
    }
    if countsFetches, effects.concernsFetch || slots[index].machine.isFetching {
      errands.append(.recount, insteadOf: .recount)
    }
    if effects.expired, !slots[index].isWatched {
      drop(index, reason: .expired, &turn)
    } else {
      settleBookkeeping(index, turn)
    }
  }

  /// Brings the deadline and the list of live entries in line with the machine.
  mutating func settleBookkeeping(_ index: Int, _ turn: Turn) {
    setDeadline(slots[index].machine.nextDeadline(in: turn.world), index)
    setLive(slots[index].machine.observerCount > 0 || !slots[index].machine.isIdle, index)
  }

  /// Hides data until its fetch has something to show or is cancelled.
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

  private mutating func cancelJob(_ index: Int, _ turn: inout Turn, isBegunAnew: Bool) {
    guard let job = slots[index].job else { return }
    let next = isBegunAnew ? makeJob(index, &turn, like: job) : nil
    next?.tasks.takeOver(from: job.tasks)
    slots[index].job = next
    job.tasks.workEnded()
    turn.drop(job.tasks.end())
    emit(.fetchCancelled, index, turn, job: job)
    errands.append(.cancel(job))
  }

  private mutating func end(_ ending: FetchEnding, _ index: Int, _ turn: inout Turn) {
    let job = slots[index].job
    slots[index].job = nil
    if let job { job.tasks.workEnded() }
    switch ending {
    case .succeeded, .kept:
      emit(.fetchSucceeded, index, turn, job: job, isNotModified: ending == .kept)
      turn.drop(slots[index].failureReason)
      slots[index].failureReason = nil
      if ending == .kept {
        turn.drop(slots[index].error)
        slots[index].error = nil
      }
    case .failed:
      let reason = slots[index].failureReason
      turn.drop(slots[index].error)
      slots[index].error = reason
      if let reason { emit(.fetchFailed(reason.error), index, turn, job: job) }
    case .cancelled:
      // The previous state is restored.
      turn.drop(slots[index].failureReason)
      slots[index].failureReason = slots[index].reasonBefore
    case .replaced, .removed:
      break
    }
    if ending != .succeeded { turn.drop(job?.tasks.end()) }
    turn.drop(job)
    landOnLayers(index, &turn)
    answerWaiters(ending, index)
    if !slots[index].isWatched { slots[index].dropEmptyCompany() }
  }

  /// Runs an attempt of the current fetch; the first attempt makes its job.
  private mutating func start(_ index: Int, _ turn: inout Turn, isFirst: Bool) {
    guard let current = slots[index].machine.current else { return }
    let job: FetchJob
    if let present = slots[index].job, present.id == current.id {
      job = withFetch(present, index, &turn)
      emit(isFirst ? .fetchStarted : .fetchResumed, index, turn, job: job)
    } else if let made = makeJob(index, &turn) {
      job = made
      slots[index].job = job
      emit(.fetchStarted, index, turn, job: job)
    } else {
      return
    }
    errands.append(.start(job, attempt: slots[index].machine.failureCount))
    if othersPerform { turn.standBy(job.tasks) }
    lendPriorityOfWaiters(index, &turn)
  }

  /// Makes a replacement fetch as urgent as the callers that have waited since.
  func lendPriorityOfWaiters(_ index: Int, _ turn: inout Turn) {
    guard let job = slots[index].job,
      let priority = Waiter.priority(above: .ofNewTasks, of: slots[index].waiters)
    else { return }
    turn.lend(to: job.tasks, priority)
  }

  /// The job of the next attempt; if it had no fetch so far, it takes the one that arrived
  /// meanwhile.
  private mutating func withFetch(
    _ job: FetchJob,
    _ index: Int,
    _ turn: inout Turn
  ) -> FetchJob {
    guard job.plan.fetch == nil, slots[index].plan?.fetch != nil,
      let able = makeJob(index, &turn, like: job)
    else { return job }
    slots[index].machine.fetchBecameKnown()
    able.tasks.takeOver(from: job.tasks)
    turn.drop(job)
    slots[index].job = able
    return able
  }

  private mutating func pause(_ index: Int, isNews: Bool, _ turn: inout Turn) {
    // Repeated for observers that just began to watch; it is reported once.
    var begins = isNews && slots[index].frame?.fetchStatus != .paused
    if slots[index].job == nil {
      slots[index].job = makeJob(index, &turn)
      emit(.fetchStarted, index, turn, job: slots[index].job)
      begins = true
    }
    if begins { emit(.fetchPaused, index, turn, job: slots[index].job) }
    if let job = slots[index].job { turn.standBy(job.tasks) }
  }

  private mutating func makeJob(
    _ index: Int,
    _ turn: inout Turn,
    like former: FetchJob? = nil
  ) -> FetchJob? {
    guard let current = slots[index].machine.current, let key = slots[index].key,
      let plan = slots[index].plan
    else { return nil }
    if former == nil {
      slots[index].keepReason(&turn)
    }
    let fetch: QueryPlan.Fetch
    // Without `??`, which wraps its operand.
    if let own = plan.fetch {
      fetch = own
    } else {
      // A caller that gave no fetch gets the error as any other failure.
      fetch = { _ in throw QueryError.missingFetch(key: key.key.description) }
    }
    let isImperative = slots[index].machine.cause == .manual && turn.isImperative
    let job = FetchJob(
      cache: id,
      entry: id(of: index),
      id: current.id,
      key: key,
      plan: plan,
      fetch: fetch,
      isImperative: former?.isImperative ?? isImperative,
      retryPlan: former.map { $0.retryPlan ?? $0.plan },
      cause: slots[index].machine.cause ?? .manual,
      startedAt: turn.world.now,
      direction: current.direction,
      pageCount: former?.pageCount ?? slots[index].pageCount,
      isPageCountOwn: former?.isPageCountOwn ?? (turn.pageCount != nil)
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
}
