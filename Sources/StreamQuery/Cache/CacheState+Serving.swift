// What callers get whose query promises them an answer while its server is slow or away.
extension CacheState {
  /// Remembers what happened to an entry, as far as its callers are concerned.
  @inline(never)
  mutating func followServing(_ index: Int, _ transaction: Transaction) {
    var record = slots[index].servingRecord
    record.follow(slots[index].machine, at: transaction.environment.now.instant)
    slots[index].servingRecord = record
  }

  /// What a caller accepts that is about to wait; `nil` if it accepts nothing else than an answer.
  func allowance(
    _ index: Int,
    for need: FetchNeed,
    _ terms: ServingTerms,
    _ freshness: Freshness
  ) -> StaleAllowance? {
    guard need == .ifStale, terms.grace > .zero, slots[index].machine.hasData else { return nil }
    return StaleAllowance(freshness, grace: terms.grace)
  }

  /// Whether a waiting caller accepts the data that is there.
  func isServable(_ index: Int, to waiter: Waiter, at now: Instant) -> Bool {
    guard let allowance = waiter.allowance else { return false }
    return slots[index].machine.isServable(
      allowance.freshness,
      within: allowance.grace,
      slots[index].servingRecord,
      at: now
    )
  }

  /// The data that a caller accepts which gives up waiting; `nil` if there is none.
  func servable(to waiter: Waiter, at now: Instant) -> ValueBox? {
    guard let index = find(waiter.entry), isServable(index, to: waiter, at: now) else { return nil }
    return slots[index].visible
  }

  /// Answers the callers of a failed fetch: with data, where they accept it.
  mutating func answerFailure(of waiters: [Waiter], _ index: Int, _ transaction: Transaction) {
    let failure = slots[index].error.map { WaitOutcome.failure($0.error) } ?? .cancelled
    guard waiters.contains(where: { $0.allowance != nil }), let data = slots[index].visible else {
      return answer(waiters, failure)
    }
    let now = transaction.environment.now.instant
    var (served, others): ([Waiter], [Waiter]) = ([], [])
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

  /// Reports that callers got stale data.
  private mutating func noteServed(_ served: [Waiter], _ index: Int, _ transaction: Transaction) {
    let count = served.count { !$0.isResolved }
    if count > 0 { emit(.servedStale(count: count), index, transaction) }
  }
}
