/// What is asked of a fetch that might be answered with what somebody else has fetched.
///
/// A fetch that asks another cache, of the process, of other machines or of the network, learns
/// from it what that cache may answer; ``FetchContext/demand`` has it.
public enum FetchDemand: String, Hashable, Codable, Sendable, CaseIterable {
  /// The data is missing or stale, or a refetch failed: an answer will do that is younger than
  /// ``FetchContext/staleTime``.
  case fresh
  /// The data was invalidated: only an answer will do that is from after that.
  case afterInvalidation
  /// Somebody asked for a new answer whatever is known: by a refetch, a reset or a trigger.
  case latest
}

extension FetchDemand {
  /// What is asked of a fetch that starts.
  ///
  /// - Parameters:
  ///   - cause: Why.
  ///   - isImperative: Whether a caller asked for the value, and not for a refetch.
  ///   - isInvalidated: Whether the data is invalidated, and not only because a refetch failed.
  init(_ cause: FetchCause, isImperative: Bool, isInvalidated: Bool) {
    switch cause {
    case .reset, .trigger: self = .latest
    case .manual where !isImperative: self = .latest
    case .subscribed, .invalidated, .interval, .active, .reconnect, .manual:
      self = isInvalidated || cause == .invalidated ? .afterInvalidation : .fresh
    }
  }
}
