// What callers get whose query promises them an answer while its server is slow or away.
extension EntryMachine {
  /// Whether data may be served in place of a fetch's answer.
  ///
  /// - Parameters:
  ///   - freshness: When data is stale for the caller.
  ///   - grace: For how long after that it accepts the data.
  ///   - record: What the entry remembers.
  ///   - now: The time of the transaction.
  /// - Returns: Whether there is data that is not too old.
  func isServable(
    _ freshness: Freshness,
    within grace: TimeSpan,
    _ record: ServingRecord,
    at now: Instant
  ) -> Bool {
    guard hasData, grace > .zero else { return false }
    guard let since = staleSince(freshness, record, at: now) else { return true }
    guard let end = since + grace else { return true }
    return now <= end
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
