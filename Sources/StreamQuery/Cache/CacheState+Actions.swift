#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheState {
  /// Gives an entry's machine an input, and carries out the machine's decisions.
  @inline(__always)
  mutating func input(
    _ index: Int,
    _ transaction: inout Transaction,
    _ fact: (inout EntryMachine, Environment) -> EntryActions
  ) {
    let actions = fact(&slots[index].machine, transaction.environment)
    apply(actions, index, &transaction)
  }

  /// Carries out a machine's decisions.
  mutating func apply(_ actions: EntryActions, _ index: Int, _ transaction: inout Transaction) {
    announce(.changing(index), &transaction)
    if actions.unstashed { unstash(index, &transaction) }
    if slots[index].hasStash, slots[index].machine.fetch?.undo.stashed == nil {
      transaction.drop(slots[index].stashed.take())
    }
    if actions.ended == .removed { slots[index].job?.entryWasRemoved() }
    let isRestarted = if case .restarted = actions.cancelled { true } else { false }
    if actions.cancelled != nil { cancelJob(index, &transaction, isRestarted: isRestarted) }
    let watchers = actions.ended == nil ? nil : unobservedWatchers(of: index)
    if let ending = actions.ended {
      if ending == .delivered {
        deliver(index, &transaction)
      } else {
        endFetch(ending, index, &transaction)
      }
    }
    switch actions.step {
    case .attempt(_, let hidesData):
      // Callers were answered above, so that they get the new data before the next fetch hides it.
      if hidesData { stash(index, &transaction) }
      start(index, &transaction, isRestarted: isRestarted)
    case .pause: pause(index, isNews: actions.changed, &transaction)
    case .drop, nil: break
    }
    if actions.changed { refresh(index, &transaction) }
    if let watchers, actions.ended != .removed {
      let end = EntryEnd(snapshot: snapshot(index), machine: slots[index].machine)
      for watcher in watchers { watcher.setEnd(end) }
    }
    if reports.countsFetches, actions.concernsFetch || slots[index].machine.isFetching {
      actionQueue.enqueue(.recount, insteadOf: .recount)
    }
    if actions.step == .drop, !slots[index].isWatched,
      !slots[index].isFailureKept(at: transaction.environment.now.instant)
    {
      drop(index, reason: .expired, &transaction)
    } else {
      updateBookkeeping(index, &transaction)
    }
  }

  /// Updates the entry's deadline, and whether it is in the list of live entries.
  mutating func updateBookkeeping(_ index: Int, _ transaction: inout Transaction) {
    var deadline = slots[index].machine.nextDeadline(in: transaction.environment)
    deadline = servingDeadline(index, deadline)
    if let due = slots[index].triggerPacing?.due { deadline = min(deadline ?? due, due) }
    deadlines.set(deadline, index)
    let isLive = slots[index].machine.observerCount > 0 || !slots[index].machine.isIdle
    if isLive != (slots[index].livePosition >= 0) { slots.setLive(isLive, index) }
    announce(.changed(index), &transaction)
  }

  /// Hides the data of an entry until its fetch has something to show or is cancelled.
  private mutating func stash(_ index: Int, _ transaction: inout Transaction) {
    transaction.replace(&slots[index].stashed, by: slots[index].data.take())
  }

  private mutating func unstash(_ index: Int, _ transaction: inout Transaction) {
    transaction.replace(&slots[index].data, by: slots[index].stashed.take())
  }

  private mutating func cancelJob(_ index: Int, _ transaction: inout Transaction, isRestarted: Bool)
  {
    guard let job = slots[index].job else { return }
    announce(.attemptEnded(index), &transaction)
    let next = isRestarted ? makeJob(index, &transaction, like: job) : nil
    next?.tasks.takeOver(from: job.tasks)
    slots[index].job = next
    job.tasks.workEnded()
    transaction.drop(job.tasks.end())
    emit(.fetchCancelled, index, transaction, job: job)
    if let next { emit(.fetchStarted, index, transaction, job: next) }
    actionQueue.enqueue(.cancel(job))
  }

  private mutating func endFetch(
    _ ending: FetchEnding,
    _ index: Int,
    _ transaction: inout Transaction
  ) {
    let job = slots[index].job.take()
    if let job { job.tasks.workEnded() }
    switch ending {
    case .succeeded, .kept:
      emit(.fetchSucceeded, index, transaction, job: job, isNotModified: ending == .kept)
      // This action comes before those that answer callers and wake observers, so handlers are called first.
      if let job, job.query.hasHandlers, let box = slots[index].data {
        actionQueue.enqueue(.settled(job, .success(box)))
      }
      transaction.drop(slots[index].failureReason.take())
      if ending == .kept { transaction.drop(slots[index].error.take()) }
    case .failed:
      // Callers no longer get the former failure. The query of this fetch decides whether they get the new
      // one.
      endFailure(index, &transaction)
      let reason = slots[index].failureReason
      transaction.replace(&slots[index].error, by: reason)
      if let reason {
        emit(.fetchFailed(reason.error), index, transaction, job: job)
        if let job, job.query.hasHandlers {
          actionQueue.enqueue(.settled(job, .failure(reason.error)))
        }
      }
    case .cancelled, .nothing:
      // If the fetch was cancelled from outside, its job is gone, and `cancelJob` has reported the end.
      if let job { emit(.fetchCancelled, index, transaction, job: job) }
      // A cancelled fetch restores the failure that was shown before the fetch began.
      transaction.replace(&slots[index].failureReason, by: slots[index].reasonBefore)
    case .replaced, .removed, .delivered:
      break
    }
    if ending != .succeeded { transaction.drop(job?.tasks.end()) }
    transaction.drop(job)
    landOnLayers(index, &transaction)
    answerWaiters(ending, index, transaction)
    if !slots[index].isWatched { slots[index].dropEmptyRareData() }
  }

  /// Answers the callers of an endless stream that has delivered data and may go on.
  ///
  /// This also removes the layers of runs that succeeded before the stream began.
  private mutating func deliver(_ index: Int, _ transaction: inout Transaction) {
    landOnLayers(index, &transaction)
    answerWaiters(.delivered, index, transaction)
    if !slots[index].isWatched { slots[index].dropEmptyRareData() }
  }

  /// Runs an attempt of the current fetch; the first attempt makes the fetch's job.
  private mutating func start(_ index: Int, _ transaction: inout Transaction, isRestarted: Bool) {
    guard let current = slots[index].machine.fetchID else { return }
    let job: FetchJob
    if let present = slots[index].job, present.id == current {
      job = withFetch(present, index, &transaction)
      // If this fetch replaces another one, `cancelJob` has reported its beginning.
      if !isRestarted { emit(.fetchResumed, index, transaction, job: job) }
    } else if let made = makeJob(index, &transaction) {
      job = made
      slots[index].job = job
      emit(.fetchStarted, index, transaction, job: job)
    } else {
      return
    }
    startWhenAdmitted(job, index, &transaction)
    lendPriorityOfWaiters(of: index, to: job, &transaction)
  }

  /// Makes a fetch as urgent as the callers that already wait for it, for example because it replaced theirs.
  func lendPriorityOfWaiters(of index: Int, to job: FetchJob, _ transaction: inout Transaction) {
    guard !slots[index].waiters.isEmpty,
      let priority = Waiter.priority(of: slots[index].waiters, above: .ofNewTasks)
    else { return }
    transaction.lend(to: job.tasks, priority)
  }

  /// The job of the next attempt.
  ///
  /// If the job's query has no fetch function and the entry's query got one meanwhile, this is a
  /// new job with that function.
  private mutating func withFetch(
    _ job: FetchJob,
    _ index: Int,
    _ transaction: inout Transaction
  ) -> FetchJob {
    guard !job.query.canFetch, slots[index].query?.canFetch == true,
      let able = makeJob(index, &transaction, like: job)
    else { return job }
    slots[index].machine.fetchBecameKnown()
    able.tasks.takeOver(from: job.tasks)
    transaction.drop(job)
    slots[index].job = able
    return able
  }

  private mutating func pause(_ index: Int, isNews: Bool, _ transaction: inout Transaction) {
    // The machine reports the same pause again for each new observer, but the event is emitted only once.
    var begins = isNews && slots[index].snapshot?.fetchStatus != .paused
    if slots[index].job == nil {
      slots[index].job = makeJob(index, &transaction)
      emit(.fetchStarted, index, transaction, job: slots[index].job)
      begins = true
    }
    if begins { emit(.fetchPaused, index, transaction, job: slots[index].job) }
    attemptRests(index)
    restsForApp(index)
    if let job = slots[index].job { transaction.prepareTask(job.tasks) }
  }

  private mutating func makeJob(
    _ index: Int,
    _ transaction: inout Transaction,
    like former: FetchJob? = nil
  ) -> FetchJob? {
    guard let current = slots[index].machine.fetch, let key = slots[index].key,
      let query = slots[index].query
    else { return nil }
    if former == nil {
      slots[index].keepReason(&transaction)
    }
    let cause = slots[index].machine.cause ?? .manual
    let isImperative = cause == .manual && transaction.isImperative
    let job = FetchJob(
      cache: id,
      entry: id(of: index),
      id: current.id,
      key: key,
      query: query,
      isImperative: former?.isImperative ?? isImperative,
      retryQuery: former.map { $0.retryQuery ?? $0.query },
      cause: cause,
      demand: former?.demand
        ?? FetchDemand(
          cause,
          isImperative: isImperative,
          isInvalidated: slots[index].machine.isKnownToHaveChanged
        ),
      startedAt: transaction.environment.now,
      sequence: former?.sequence ?? extensions.imports.started(),
      part: current.part,
      setting: former?.setting ?? slots[index].setting,
      isSettingOwn: former?.isSettingOwn ?? (transaction.setting != nil)
    )
    if let former { job.takeProgress(of: former) }
    return job
  }

  mutating func makeEvent(
    _ kind: QueryEvent.Kind,
    _ key: AnyQueryKey,
    at now: Timestamp,
    cause: FetchCause? = nil,
    since start: Timestamp?
  ) -> QueryEvent {
    reports.eventSerial += 1
    return QueryEvent(
      number: reports.eventSerial,
      kind: kind,
      key: key,
      date: Date(timeIntervalSinceReferenceDate: now.date),
      cause: cause,
      duration: start.map { .nanoseconds(now.instant.nanoseconds - $0.instant.nanoseconds) }
    )
  }

  /// Whether a thread other than the caller's may perform the transaction's actions; a caller of low priority
  /// leaves them to the drain task.
  @inline(__always)
  func othersPerform(_ transaction: inout Transaction) -> Bool {
    actionQueue.othersPerform || transaction.priority.isLow
  }
}

/// The listeners to events, the needs of the listeners, and the counts of events.
struct CacheReports {
  /// The listeners to steps of entries and runs.
  struct Audience: OptionSet {
    let rawValue: UInt8

    static let receivers = Audience(rawValue: 1)
    static let record = Audience(rawValue: 2)
  }

  var needs: EventNeeds {
    didSet { listen() }
  }
  var audience: Audience = []
  var eventSerial: UInt64 = 0
  /// The number of lookups so far, by kind.
  var lookups = LookupCounts()
  var countsFetches = false
  /// The part types of keys that were reported to share one hash.
  var collisions: Set<[ObjectIdentifier]> = []

  init(needs: EventNeeds) {
    self.needs = needs
    listen()
  }

  /// Whether anybody listens to steps of entries and runs.
  var isHeard: Bool {
    @inline(__always) get { !audience.isEmpty }
  }

  private mutating func listen() {
    if needs >= .events { audience.insert(.receivers) } else { audience.remove(.receivers) }
  }
}
