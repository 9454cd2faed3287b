// What callers get whose query promises them an answer while its server is slow or away.
extension EntryMachine {
  /// Whether data may be served in place of a fetch's answer.
  ///
  /// - Parameters:
  ///   - freshness: When data is stale for the caller.
  ///   - grace: For how long after that it accepts the data.
  ///   - record: What the entry remembers.
  ///   - now: The time of the transaction.
  /// - Returns: Whether there is data that is whole and not too old.
  func isServable(
    _ freshness: Freshness,
    within grace: TimeSpan,
    _ record: ServingRecord,
    at now: Instant
  ) -> Bool {
    guard isAnswer, grace > .zero else { return false }
    guard let since = staleSince(freshness, record, at: now) else { return true }
    guard let end = since + grace else { return true }
    return now <= end
  }

  /// What a caller gets under the terms of its query.
  ///
  /// - Parameters:
  ///   - found: What it would get without them.
  ///   - need: Which data it accepts.
  ///   - terms: What its query promises.
  ///   - freshness: When data is stale for it.
  ///   - record: What the entry remembers.
  ///   - start: When the fetch in flight began; `nil` if there is none.
  ///   - canFetch: Whether it or the entry knows how to fetch.
  ///   - now: The time of the transaction.
  /// - Returns: What it gets.
  func served(
    _ found: FetchDecision,
    for need: FetchNeed,
    _ terms: ServingTerms,
    _ freshness: Freshness,
    _ record: ServingRecord,
    fetchingSince start: Instant?,
    canFetch: Bool = true,
    at now: Instant
  ) -> FetchDecision {
    let isServable =
      need == .ifStale && isServable(freshness, within: terms.grace, record, at: now)
    if terms.cachesFailures, need != .always, isFailureLasting(record, at: now) {
      switch found {
      case .fetch: return isServable ? .useCached(.staleHit, revalidates: false) : .useFailure
      case .useCached(let lookup, _): return .useCached(lookup, revalidates: false)
      case .useFailure, .missingFetch: return found
      }
    }
    if found == .useCached(.hit, revalidates: false), canFetch,
      need == .ifStale || need == .ifStaleOrThrow,
      isIdle,
      record.isRefreshDue(terms.refreshAhead, freshness, of: dataUpdatedAt.instant, at: now)
    {
      return .useCached(.hit, revalidates: true)
    }
    guard found == .fetch, isServable else { return found }
    // It takes long already, or nobody waits for it.
    if let end = (start ?? now) + terms.softTimeout, end <= now {
      return .useCached(.staleHit, revalidates: true)
    }
    return found
  }

  /// A refetch ahead of time began.
  ///
  /// The data is as fresh as before if it fails.
  mutating func refreshBegan() {
    fetch?.fetchOptions.failureInvalidates = false
  }

  /// Whether the newest failure is the answer, for callers that only want data.
  func isFailureLasting(_ record: ServingRecord, at now: Instant) -> Bool {
    guard isIdle, isError, let end = record.failureEnd else { return false }
    return now < end
  }

  /// Whether the failure of an attempt that runs may be the answer for others: not if the data was
  /// invalidated or written since it began.
  func mayFailureLast(of id: FetchID) -> Bool {
    guard let current = running(id) else { return false }
    return !current.isOvertaken && !current.wasWritten
  }

  /// When data became stale: by its age or by a mark, whichever came first.
  ///
  /// Where nobody remembers when the mark was set, the data counts as stale from the beginning, so
  /// that nothing is served for too long.
  private func staleSince(
    _ freshness: Freshness,
    _ record: ServingRecord,
    at now: Instant
  ) -> Instant? {
    guard isStale(freshness, at: now), case .after(let span) = freshness else { return nil }
    let aged = dataUpdatedAt.instant + span
    guard isInvalidated else { return aged }
    let marked = record.markedAt ?? dataUpdatedAt.instant
    return aged.map { min($0, marked) } ?? marked
  }
}

/// What an entry remembers for its callers, if its query promises them something.
///
/// Most entries need none of it, at most times: then there is no record.
struct ServingRecord: Equatable, Sendable {
  /// When the data was marked as invalidated; `nil` if it is not.
  var markedAt: Instant?
  /// When the first of the waiting callers gets stale data; `nil` if none does.
  var patienceEnd: Instant?
  /// Until when the newest failure is the answer; `nil` if it is not.
  var failureEnd: Instant?
  /// When the data was fetched that may be refetched ahead of time; `nil` if that was done.
  ///
  /// Data of another time was written or restored, and is not.
  var answeredAt: Instant?
  /// A random number in 0..<1 for the newest answer.
  var chance = 0.5
  /// How long the newest answer took.
  var duration = TimeSpan.zero

  /// Whether fresh data is to be refetched ahead of time, which happens once.
  ///
  /// - Parameters:
  ///   - refresh: When its query wants that.
  ///   - freshness: When the data is stale.
  ///   - updatedAt: When the data was up to date.
  ///   - now: The time.
  /// - Returns: Whether it is time, unless a fetch is under way.
  func isRefreshDue(
    _ refresh: RefreshAhead,
    _ freshness: Freshness,
    of updatedAt: Instant,
    at now: Instant
  ) -> Bool {
    guard !refresh.isOff, answeredAt == updatedAt, case .after(let span) = freshness,
      let age = refresh.age(before: span, chance: chance, after: duration),
      let due = updatedAt + age
    else { return false }
    return now >= due
  }

  /// A caller waits until a time for an answer; `nil` is for ever.
  mutating func waiterJoined(until end: Instant) {
    patienceEnd = patienceEnd.map { min($0, end) } ?? end
  }

  /// A fetch failed for good.
  ///
  /// - Parameters:
  ///   - span: How long that is the answer; `nil` is not at all.
  ///   - now: The time of the transaction.
  mutating func failed(lastingFor span: TimeSpan?, at now: Instant) {
    failureEnd = span.map { now + $0 ?? Instant(nanoseconds: .max) }
  }

  /// A fetch brought data.
  ///
  /// - Parameters:
  ///   - chance: A random number in 0..<1.
  ///   - answeredAt: When the data was up to date.
  ///   - start: When the fetch began.
  ///   - now: The time of the transaction.
  mutating func landed(
    chance: Double,
    answeredAt: Instant,
    fetchingSince start: Instant,
    at now: Instant
  ) {
    self.chance = chance
    duration = TimeSpan(.nanoseconds(now.nanoseconds) - .nanoseconds(start.nanoseconds))
    self.answeredAt = answeredAt
  }

  /// Whether there is nothing to remember.
  var isEmpty: Bool { self == ServingRecord() }

  /// Something happened to the entry.
  ///
  /// - Parameters:
  ///   - machine: The entry afterwards.
  ///   - now: The time of the transaction.
  mutating func follow(_ machine: borrowing EntryMachine, at now: Instant) {
    markedAt = machine.isInvalidated ? markedAt ?? now : nil
    if machine.isIdle { patienceEnd = nil }
    if !machine.isError { failureEnd = nil }
  }
}
