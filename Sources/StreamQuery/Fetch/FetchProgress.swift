/// How far the attempts of a fetch got, for the next one.
protocol FetchProgress: Sendable {
  /// What of it serves a fetch that is begun anew; `nil` is nothing, for what was got since is outdated.
  func restarted() -> (any FetchProgress)?
}

extension FetchProgress {
  func restarted() -> (any FetchProgress)? { nil }
}
