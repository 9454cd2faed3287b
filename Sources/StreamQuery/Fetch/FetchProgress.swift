/// How far the attempts of a fetch got, for the next attempt.
protocol FetchProgress: Sendable {
  /// The part that a restarted fetch can use; `nil` if all of it is outdated.
  func restarted() -> (any FetchProgress)?
}

extension FetchProgress {
  func restarted() -> (any FetchProgress)? { nil }
}
