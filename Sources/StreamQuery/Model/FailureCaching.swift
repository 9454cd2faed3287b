/// How long the failure of a fetch is the answer for those who ask next.
///
/// ```swift
/// let user = Query("user", id) { try await api.user(id) }
///   .cachesFailures(.when { $0 is AuthError ? .minutes(1) : nil })
/// ```
public struct FailureCaching: Sendable, _FreeOfActors, ExpressibleByDuration {
  /// How long, by the error; `nil` is not at all.
  let duration: @Sendable (any Error) -> Duration?
  /// Whether no failure lasts, nor is one the answer that lasts for others.
  let isOff: Bool

  private init(isOff: Bool = false, duration: @escaping @Sendable (any Error) -> Duration?) {
    self.duration = duration
    self.isOff = isOff
  }

  /// Every failure lasts for a time; `.seconds(5)` and the like are shorter.
  ///
  /// - Parameter duration: How long; zero or less is not at all.
  public init(_ duration: Duration) {
    self.init { _ in duration }
  }

  /// No failure lasts, and none is the answer that another query of the same key keeps; the default.
  public static var off: Self { FailureCaching(isOff: true) { _ in nil } }

  /// The error says how long its failure lasts.
  ///
  /// The closure is called once when a fetch has failed for good, outside the cache's lock; it must be
  /// quick.
  ///
  /// - Parameter duration: How long; `nil`, zero or less is not at all, more than 100 years is until
  ///   somebody asks for a new answer.
  /// - Returns: The caching.
  public static func when(_ duration: @escaping @Sendable (any Error) -> Duration?) -> Self {
    FailureCaching(duration: duration)
  }

  /// How long a failure lasts; `nil` is not at all.
  ///
  /// It runs user code: never call it under the lock.
  func span(of error: any Error) -> TimeSpan? {
    guard let span = duration(error).map(TimeSpan.init), span > .zero else { return nil }
    return span
  }
}
