// The answers that callers get while the server is slow or down, by the options of their queries.
extension EntryMachine {
  /// Whether data may be served in place of a fetch's answer.
  ///
  /// - Parameters:
  ///   - freshness: The stale time of the caller.
  ///   - staleIfError: How long after the data became stale the caller still accepts it.
  ///   - record: The entry's facts for this decision.
  ///   - now: The time of the transaction.
  /// - Returns: Whether there is data that is whole and not too old.
  func isServable(
    _ freshness: Freshness,
    within staleIfError: TimeSpan,
    _ record: ServingRecord,
    at now: Instant
  ) -> Bool {
    guard isAnswer, staleIfError > .zero else { return false }
    guard let since = staleSince(freshness, record, at: now) else { return true }
    guard let end = since + staleIfError else { return true }
    return now <= end
  }

  /// The answer for a caller, by the options of the caller's query for a slow or failing server.
  ///
  /// - Parameters:
  ///   - found: The decision for a query without such options.
  ///   - need: The cached data that the caller accepts.
  ///   - terms: The options for a slow or failing server.
  ///   - freshness: The caller's stale time.
  ///   - record: The entry's record for this decision.
  ///   - start: The time when the fetch in flight began; `nil` if there is none.
  ///   - canFetch: Whether the caller or the entry has a fetch function.
  ///   - now: The time of the transaction.
  /// - Returns: The answer.
  func served(
    _ found: FetchDecision,
    for need: CachePolicy,
    _ terms: ServingTerms,
    _ freshness: Freshness,
    _ record: ServingRecord,
    fetchingSince start: Instant?,
    canFetch: Bool = true,
    at now: Instant
  ) -> FetchDecision {
    let isServable =
      need == .ifStale && isServable(freshness, within: terms.staleIfError, record, at: now)
    if terms.cachesFailures, need != .always, isFailureLasting(record, at: now) {
      switch found {
      case .fetch: return isServable ? .useCached(.staleHit, revalidates: false) : .useFailure
      case .useCached(let lookup, _): return .useCached(lookup, revalidates: false)
      case .useFailure, .missingFetch: return found
      }
    }
    if found == .useCached(.hit, revalidates: false), canFetch,
      need == .ifStale || need == .ifStaleOrThrow,
      // A refetch that hides the data does not begin ahead of time: the next callers would miss data that is
      // fresh.
      isIdle, !fetchOptions.resetsData,
      record.isRefreshDue(terms.refreshAhead, freshness, of: dataUpdatedAt.instant, at: now)
    {
      return .useCached(.hit, revalidates: true)
    }
    guard found == .fetch, isServable else { return found }
    // The fetch has already taken too long, or the caller does not wait at all.
    if let end = (start ?? now) + terms.softTimeout, end <= now {
      return .useCached(.staleHit, revalidates: true)
    }
    return found
  }

  /// Records that the current fetch is a refetch ahead of time: its failure does not make the data stale.
  mutating func refreshBegan() {
    fetch?.fetchOptions.failureInvalidates = false
  }

  /// Whether callers still get the newest failure, unless they insist on a new fetch.
  func isFailureLasting(_ record: ServingRecord, at now: Instant) -> Bool {
    guard isIdle, isError, let end = record.failureEnd else { return false }
    return now < end
  }

  /// Whether later callers may get the failure of a running attempt: not if the data was invalidated or
  /// written since the attempt began.
  func mayFailureLast(of id: FetchID) -> Bool {
    guard let current = running(id) else { return false }
    return current.attempt.standing == .current && !current.attempt.wasWritten
  }

  /// The time when data became stale: by its age or by a mark, whichever came first.
  ///
  /// If the time of the mark is not known, the data counts as stale since its fetch, so that callers
  /// do not get it for too long.
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

/// The state of an entry that decides what callers get while its server is slow or down.
///
/// Most entries need no such record.
struct ServingRecord: Equatable, Sendable {
  /// The time when the data was invalidated, or its refetch failed; `nil` if neither happened.
  var markedAt: Instant?
  /// The time when the first of the waiting callers gets stale data; `nil` if no caller will.
  var softTimeoutEnd: Instant?
  /// The time until which callers get the newest failure; `nil` if they do not.
  var failureEnd: Instant?
  /// The time of the fetched data, if it may be refetched ahead of time; otherwise `nil`.
  ///
  /// Data with another time was written or restored, and is not refetched ahead of time.
  var answeredAt: Instant?
  /// A random number in 0..<1, drawn for the newest answer, that varies when it is refetched ahead of time.
  var chance = 0.5
  /// The duration of the fetch of the newest answer.
  var duration = TimeSpan.zero

  /// Whether fresh data is to be refetched ahead of time.
  ///
  /// - Parameters:
  ///   - refresh: The policy of the entry's query.
  ///   - freshness: The stale time.
  ///   - updatedAt: The time when the data was up to date.
  ///   - now: The time of the transaction.
  /// - Returns: Whether the refetch is due; the caller checks that no fetch is in flight.
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

  /// Records the time at which a waiting caller gets stale data instead of waiting on.
  mutating func waiterJoined(until end: Instant) {
    softTimeoutEnd = softTimeoutEnd.map { min($0, end) } ?? end
  }

  /// Records how long callers get a failure, because a fetch failed for good.
  ///
  /// - Parameters:
  ///   - span: How long callers get the failure; `nil` if they do not get it.
  ///   - now: The time of the transaction.
  mutating func failed(lastingFor span: TimeSpan?, at now: Instant) {
    failureEnd = span.map { now + $0 ?? Instant(nanoseconds: .max) }
  }

  /// Records the facts about a fetch that brought data.
  ///
  /// - Parameters:
  ///   - chance: A random number in 0..<1.
  ///   - answeredAt: The time when the data was up to date.
  ///   - start: The time when the fetch began.
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

  /// Whether the record has no facts, so that the entry need not store it.
  var isEmpty: Bool { self == ServingRecord() }

  /// Brings the record up to date after a change of the entry.
  ///
  /// - Parameters:
  ///   - machine: The entry after the change.
  ///   - now: The time of the transaction.
  mutating func entryChanged(_ machine: borrowing EntryMachine, at now: Instant) {
    markedAt = machine.isInvalidated ? markedAt ?? now : nil
    guard machine.isIdle else { return }
    softTimeoutEnd = nil
    // This is decided only when no fetch is in flight: a fetch without data removes the error, but its
    // cancellation restores the error.
    if !machine.isError { failureEnd = nil }
  }
}
