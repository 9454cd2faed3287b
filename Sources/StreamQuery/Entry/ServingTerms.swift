/// What a query promises to callers that have to be answered, resolved; most queries promise
/// nothing, and have none.
final class ServingTerms: Sendable {
  /// For how long after it became stale data may be served; zero is not at all.
  let grace: TimeSpan

  init(grace: TimeSpan = .zero) {
    self.grace = grace
  }
}
