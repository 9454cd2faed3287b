/// What a query promises to callers that have to be answered, resolved; most queries promise
/// nothing, and have none.
final class ServingTerms: Sendable {
  /// For how long after it became stale data may be served; zero is not at all.
  let grace: TimeSpan
  /// How long a fetch may take until stale data is served instead; infinite is for ever.
  let softTimeout: TimeSpan
  /// How long an attempt may take; infinite is for ever.
  let timeout: TimeSpan
  /// Whether failures may be the answer for those who ask next.
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

/// What a waiting caller accepts instead of the answer of its fetch: made only for callers that
/// accept something.
final class StaleAllowance: Sendable {
  /// When data is stale for the caller.
  let freshness: Freshness
  /// For how long after that it accepts the data.
  let grace: TimeSpan
  /// When it takes the data, although the fetch goes on; `nil` is never.
  let patienceEnd: Instant?

  init(_ freshness: Freshness, grace: TimeSpan, patienceEnd: Instant? = nil) {
    self.freshness = freshness
    self.grace = grace
    self.patienceEnd = patienceEnd
  }
}
