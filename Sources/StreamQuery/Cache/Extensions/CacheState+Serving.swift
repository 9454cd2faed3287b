// How callers get stale data, or the last failure, while the server of a query is slow or down.
extension CacheState {
  /// Turns on the serving records, because a query has options for a server that is slow or down.
  mutating func startServing() { extensions.active.insert(.serving) }

  /// Updates the ``EntrySlot/servingRecord`` of an entry after a change.
  mutating func followServing(_ index: Int, _ transaction: Transaction) {
    guard slots[index].remembersServing else { return }
    var record = slots[index].servingRecord
    record.entryChanged(slots[index].machine, at: transaction.environment.now.instant)
    slots[index].servingRecord = record
  }

  /// Sets the unknown time of an invalidation, from before the entry had a serving record, to that of the
  /// data.
  ///
  /// So callers get the stale data for a shorter time, and never for too long.
  @inline(never)
  mutating func distrustMark(_ index: Int) {
    guard slots[index].machine.isInvalidated, slots[index].servingRecord.markedAt == nil else {
      return
    }
    slots[index].servingRecord.markedAt = slots[index].machine.dataUpdatedAt.instant
  }

  /// Takes the date of the data as the time of its invalidation, because the data was already
  /// invalidated when it came into the cache.
  mutating func ageMark(_ index: Int) {
    guard slots[index].remembersServing else { return }
    slots[index].servingRecord.markedAt = slots[index].machine.dataUpdatedAt.instant
  }

  /// Changes the decision for a caller by the query's options for a server that is slow or down.
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

  /// The stale data that a caller accepts instead of waiting longer; `nil` if the caller accepts none.
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

  /// The data for a caller that gives up waiting; `nil` if the caller accepts none.
  ///
  /// From now on the client wants the fetch, so that it goes on. Otherwise callers in a hurry would cancel
  /// each fetch in turn, and the data would never be renewed.
  mutating func serve(_ waiter: Waiter, _ transaction: inout Transaction) -> ValueBox? {
    guard let index = awaitedEntry(of: waiter), let data = slots[index].visible,
      isServable(index, to: waiter, at: transaction.environment.now.instant)
    else { return nil }
    noteServed(Few(waiter), index, transaction)
    // If the caller was no longer waiting, or no fetch runs, there is no fetch to keep.
    guard waiter.generation != 0, waiter.generation == slots[index].waiterGeneration,
      !slots[index].machine.isIdle
    else { return data }
    input(index, &transaction) {
      $0.requested(.manual, joining: .any, clientLease: true, in: $1)
    }
    return data
  }

  /// Answers the callers of a failed fetch.
  ///
  /// A caller that accepts the present data gets it, any other the error.
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
  /// The fetch goes on for the next callers: from now on the client itself wants the fetch.
  mutating func endSoftTimeout(_ index: Int, _ transaction: inout Transaction) {
    let now = transaction.environment.now.instant
    guard let end = slots[index].softTimeoutEnd, end <= now else { return }
    var (served, others) = (Few<Waiter>(), Few<Waiter>())
    var next: Instant?
    for waiter in slots[index].waiters {
      // A caller that left has the generation 0, and counts in `goneWaiters`.
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
      joining: .any,
      clientLease: true,
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

  /// Whether later callers may get the failure of the running attempt too, instead of a new fetch.
  func mayFailureLast(of job: FetchJob) -> Bool {
    find(job.entry).map { slots[$0].machine.mayFailureLast(of: job.id) } ?? false
  }

  /// The next deadline of an entry, with the deadlines of its ``EntrySlot/servingRecord``.
  ///
  /// An unused entry is not dropped while callers get the entry's failure.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - deadline: The deadline of the entry without the record.
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

  /// Records how long callers get the failure of a fetch, unless the fetch is retried or the entry did not
  /// take the failure.
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
    // While callers get the failure, an entry that nobody uses must not be dropped.
    if span != nil { updateBookkeeping(index, &transaction) }
  }

  /// Records when data arrived and how long the fetch took, to plan the next refetch ahead of time.
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

  /// Records that a refetch ahead of time began.
  mutating func refreshBegan(_ index: Int) {
    slots[index].servingRecord.answeredAt = nil
    slots[index].machine.refreshBegan()
  }

  /// Ends the time in which callers get the newest failure.
  mutating func endFailure(_ index: Int, _ transaction: inout Transaction) {
    guard slots[index].hasServingRecord, slots[index].servingRecord.failureEnd != nil else {
      return
    }
    slots[index].servingRecord.failureEnd = nil
    // The entry stayed only because callers got its failure, so the entry may be dropped now.
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
