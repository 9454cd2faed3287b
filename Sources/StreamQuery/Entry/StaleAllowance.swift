/// What a waiting caller accepts instead of the answer of its fetch: made only for callers that
/// accept something.
final class StaleAllowance: Sendable {
  /// When data is stale for the caller.
  let freshness: Freshness
  /// For how long after that it accepts the data.
  let grace: TimeSpan

  init(_ freshness: Freshness, grace: TimeSpan) {
    self.freshness = freshness
    self.grace = grace
  }
}
