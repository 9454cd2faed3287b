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
