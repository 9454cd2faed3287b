// Answers for callers whose query promises them an answer while its server is slow or away.
extension CacheState {
  /// From now on, a query has options for what waiting callers get while its server is slow or
  /// away.
  mutating func startServing() { extensions.active.insert(.serving) }

  /// Updates an entry's record for its callers.
  mutating func followServing(_ index: Int, _ transaction: Transaction) {
    guard slots[index].remembersServing else { return }
    var record = slots[index].servingRecord
    record.entryChanged(slots[index].machine, at: transaction.environment.now.instant)
    slots[index].servingRecord = record
  }

  /// From now on the entry has a record; before the first promise, the time of an invalidation is
  /// not recorded.
  @inline(never)
  mutating func distrustMark(_ index: Int) {
    guard slots[index].machine.isInvalidated, slots[index].servingRecord.markedAt == nil else {
      return
    }
    slots[index].servingRecord.markedAt = slots[index].machine.dataUpdatedAt.instant
  }

  /// The data was marked as invalidated at an unknown time before it came into the cache.
  mutating func ageMark(_ index: Int) {
    guard slots[index].remembersServing else { return }
    slots[index].servingRecord.markedAt = slots[index].machine.dataUpdatedAt.instant
  }

  /// The data that a caller gets by the options of its query.
  @inline(never)
  mutating func served(
    _ index: Int,
    _ found: FetchDecision,
    for need: CachePolicy,
    _ terms: ServingTerms,
    _ freshness: Freshness,
    canFetch: Bool,
    at now: Instant
  ) -> FetchDecision {
    startServing()
    return slots[index].machine.served(
      found,
      for: need,
      terms,
      freshness,
      slots[index].servingRecord,
      fetchingSince: slots[index].job?.startedAt.instant,
      canFetch: canFetch,
      at: now
    )
  }

  /// The data that a waiting caller accepts instead of an answer; `nil` if it accepts none.
  func allowance(
    _ index: Int,
    for need: CachePolicy,
    _ terms: ServingTerms,
    _ freshness: Freshness,
    at now: Instant
  ) -> StaleAllowance? {
    guard need == .ifStale, terms.staleIfError > .zero, slots[index].machine.hasData else {
      return nil
    }
    let start = slots[index].job?.startedAt.instant ?? now
    return StaleAllowance(
      freshness,
      staleIfError: terms.staleIfError,
      softTimeoutEnd: start + terms.softTimeout
    )
  }

  /// Whether a waiting caller accepts the present data.
  func isServable(_ index: Int, to waiter: Waiter, at now: Instant) -> Bool {
    guard let allowance = waiter.allowance else { return false }
    return slots[index].machine.isServable(
      allowance.freshness,
      within: allowance.staleIfError,
      slots[index].servingRecord,
      at: now
    )
  }

  /// The data for a caller that gives up waiting; `nil` if there is none that it accepts.
  ///
  /// Its fetch goes on, as at the end of the soft timeout: otherwise callers in a hurry would cancel each
  /// fetch in turn, and the data would never be renewed.
  mutating func serve(_ waiter: Waiter, _ transaction: inout Transaction) -> ValueBox? {
    guard let index = awaitedEntry(of: waiter), let data = slots[index].visible,
      isServable(index, to: waiter, at: transaction.environment.now.instant)
    else { return nil }
    noteServed(Few(waiter), index, transaction)
    // The caller was answered meanwhile, or its fetch has ended.
    guard waiter.generation != 0, waiter.generation == slots[index].waiterGeneration,
      !slots[index].machine.isIdle
    else { return data }
    input(index, &transaction) {
      $0.requested(.manual, clientLease: true, acceptsOlder: true, in: $1)
    }
    return data
  }

  /// Answers the callers of a failed fetch: with data, if they accept it.
  mutating func answerFailure(of waiters: Few<Waiter>, _ index: Int, _ transaction: Transaction) {
    let failure = slots[index].error.map { WaitOutcome.failure($0.error) } ?? .cancelled
    guard waiters.contains(where: { $0.allowance != nil }), let data = slots[index].visible else {
      return answer(waiters, failure)
    }
    let now = transaction.environment.now.instant
    var (served, others) = (Few<Waiter>(), Few<Waiter>())
    for waiter in waiters {
      if isServable(index, to: waiter, at: now) {
        served.append(waiter)
      } else {
        others.append(waiter)
      }
    }
    noteServed(served, index, transaction)
    answer(served, .value(data))
    answer(others, failure)
  }

  /// Answers callers with stale data if the fetch takes too long for them.
  ///
  /// The fetch goes on for the next callers: the client itself wants it from now on.
  mutating func endSoftTimeout(_ index: Int, _ transaction: inout Transaction) {
    let now = transaction.environment.now.instant
    guard let end = slots[index].softTimeoutEnd, end <= now else { return }
    var (served, others) = (Few<Waiter>(), Few<Waiter>())
    var next: Instant?
    for waiter in slots[index].waiters {
      // A caller that left is in no list of waiters any more, and is counted among the callers that
      // left.
      if waiter.generation != 0, let end = waiter.allowance?.softTimeoutEnd {
        if end > now {
          next = min(next ?? end, end)
        } else if isServable(index, to: waiter, at: now) {
          waiter.generation = 0
          served.append(waiter)
          continue
        }
      }
      others.append(waiter)
    }
    slots[index].servingRecord.softTimeoutEnd = next
    guard !served.isEmpty, let data = slots[index].visible else { return }
    let actions = slots[index].machine.requested(
      .manual,
      clientLease: true,
      acceptsOlder: true,
      in: transaction.environment
    )
    slots[index].waiters = others
    if served.contains(where: { $0 === slots[index].initiator }) { slots[index].initiator = nil }
    slots[index].machine.waitersAnswered(
      leaving: slots[index].machine.waiterCount - served.count
    )
    noteServed(served, index, transaction)
    answer(served, .value(data))
    apply(actions, index, &transaction)
  }

  /// Whether the failure of a fetch's attempt may be the answer for other callers.
  func mayFailureLast(of job: FetchJob) -> Bool {
    find(job.entry).map { slots[$0].machine.mayFailureLast(of: job.id) } ?? false
  }

  /// The next deadline of an entry with a record for its callers.
  ///
  /// An unused entry can only be dropped; it stays while its failure is the answer.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - deadline: Its deadline without the record.
  /// - Returns: The deadline.
  @inline(__always)
  mutating func servingDeadline(_ index: Int, _ deadline: Instant?) -> Instant? {
    guard extensions.active.contains(.serving), slots[index].hasServingRecord else {
      return deadline
    }
    return rememberedDeadline(index, deadline)
  }

  @inline(never)
  private mutating func rememberedDeadline(_ index: Int, _ deadline: Instant?) -> Instant? {
    let record = slots[index].servingRecord
    if let end = record.softTimeoutEnd { return min(deadline ?? end, end) }
    guard let end = record.failureEnd, isUnused(index) else { return deadline }
    return deadline.map { max($0, end) }
  }

  /// A fetch failed, and its query says how long the failure is the answer, unless the fetch is
  /// retried, or its answer came too late.
  mutating func failed(
    _ job: FetchJob,
    _ failure: ErrorBox,
    lastingFor span: TimeSpan?,
    _ transaction: inout Transaction
  ) {
    guard let index = find(job.entry), slots[index].machine.isIdle, slots[index].error === failure
    else { return }
    distrustMark(index)
    slots[index].servingRecord.failed(
      lastingFor: span,
      at: transaction.environment.now.instant
    )
    // The entry may be about to be dropped, because nobody uses it.
    if span != nil { updateBookkeeping(index, &transaction) }
  }

  /// A fetch brought data, and its query says that it is refetched ahead of time.
  mutating func answerLanded(_ job: FetchJob, chance: Double, _ transaction: Transaction) {
    guard let index = find(job.entry) else { return }
    distrustMark(index)
    let now = transaction.environment.now
    slots[index].servingRecord.landed(
      chance: chance,
      answeredAt: job.saidAnswer?.age?.date(at: now).instant ?? now.instant,
      fetchingSince: job.startedAt.instant,
      at: now.instant
    )
  }

  /// A refetch ahead of time began.
  mutating func refreshBegan(_ index: Int) {
    slots[index].servingRecord.answeredAt = nil
    slots[index].machine.refreshBegan()
  }

  /// The newest failure no longer is an answer.
  mutating func endFailure(_ index: Int, _ transaction: inout Transaction) {
    guard slots[index].hasServingRecord, slots[index].servingRecord.failureEnd != nil else {
      return
    }
    slots[index].servingRecord.failureEnd = nil
    // The entry was kept only because its failure was an answer, so it may be dropped now.
    updateBookkeeping(index, &transaction)
  }

  /// Counts and reports that callers got stale data.
  private mutating func noteServed(_ served: Few<Waiter>, _ index: Int, _ transaction: Transaction)
  {
    let count = served.count { !$0.isResolved }
    guard count > 0 else { return }
    reports.lookups.servedStale += count
    emit(.servedStale(count: count), index, transaction)
  }
}
