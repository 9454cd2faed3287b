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
