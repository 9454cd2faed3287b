/// Whether polling continues while the app is in the background.
///
/// If it does, failed attempts are retried in the background too, after the waits of the query's
/// ``RetryPolicy``. Otherwise retries wait until the app is active.
public enum BackgroundInterval: Hashable, Sendable, _FreeOfActors, ExpressibleByBooleanLiteral,
  ExpressibleByDuration
{
  /// Polling stops in the background; the default.
  case off
  /// Polls at the usual interval.
  case same
  /// Polls at its own interval, usually a slower one.
  case every(Duration)

  /// Polls at its own interval; `.minutes(1)` and the like are shorter.
  ///
  /// - Parameter duration: The time between two fetches.
  public init(_ duration: Duration) {
    self = .every(duration)
  }

  /// `true` polls at the usual interval, `false` not at all.
  ///
  /// - Parameter value: Whether to poll in the background.
  public init(booleanLiteral value: Bool) {
    self = value ? .same : .off
  }

  func resolved(interval: TimeSpan?) -> TimeSpan? {
    switch self {
    case .off: nil
    case .same: interval
    case .every(let duration): interval == nil ? nil : TimeSpan(polling: duration)
    }
  }
}
