/// The promises of a query to waiting callers, under its defaults; most queries promise nothing,
/// and have none.
final class ServingTerms: Sendable {
  /// For how long after it became stale data may be served; zero is not at all.
  let grace: TimeSpan
  /// How long a fetch may take until stale data is served instead; infinite is no limit.
  let softTimeout: TimeSpan
  /// How long an attempt may take; infinite is no limit.
  let timeout: TimeSpan
  /// Whether a failure may be the answer for later callers.
  let cachesFailures: Bool
  /// Whether fresh data is refetched before it is stale.
  let refreshAhead: RefreshAhead

  init(
    grace: TimeSpan = .zero,
    softTimeout: TimeSpan = .infinite,
    timeout: TimeSpan = .infinite,
    cachesFailures: Bool = false,
    refreshAhead: RefreshAhead = .off
  ) {
    self.grace = grace
    self.softTimeout = softTimeout
    self.timeout = timeout
    self.cachesFailures = cachesFailures
    self.refreshAhead = refreshAhead
  }
}

/// The stale data that a waiting caller accepts instead of the answer of its fetch; only callers
/// that accept some have one.
final class StaleAllowance: Sendable {
  /// The rule by which data is stale for the caller.
  let freshness: Freshness
  /// For how long after that the caller accepts the data.
  let grace: TimeSpan
  /// The time from which it takes the data while the fetch runs; `nil` is never.
  let patienceEnd: Instant?

  init(_ freshness: Freshness, grace: TimeSpan, patienceEnd: Instant? = nil) {
    self.freshness = freshness
    self.grace = grace
    self.patienceEnd = patienceEnd
  }
}
