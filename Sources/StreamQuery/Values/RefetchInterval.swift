/// The interval at which an observed query is refetched, whether stale or not.
///
/// All observers of a key share one timer, with the shortest interval of the enabled ones. Each fetch
/// restarts the timer, even if the attempts fail; a write does not.
public struct RefetchInterval: Sendable, _FreeOfActors, ExpressibleByDuration {
  enum Kind: Sendable {
    case fixed(TimeSpan?)
    case dynamic(@Sendable (QueryInfo) -> Duration?)
  }

  let kind: Kind
  /// The largest random part of each interval, in 255ths of the interval.
  private(set) var jitter: UInt8 = 0

  private init(kind: Kind) {
    self.kind = kind
  }

  /// No polling; the default.
  public static var off: Self { RefetchInterval(kind: .fixed(nil)) }

  /// Polls, like ``every(_:)``; a plain `.seconds(30)` does the same.
  ///
  /// - Parameter duration: The time between two fetches.
  public init(_ duration: Duration) {
    self = .every(duration)
  }

  /// Polls at a positive duration; any other duration means ``off``.
  ///
  /// - Parameter duration: The time between two fetches.
  /// - Returns: The interval.
  public static func every(_ duration: Duration) -> Self {
    RefetchInterval(kind: .fixed(TimeSpan(polling: duration)))
  }

  /// An interval that is evaluated again whenever the entry changes; `nil` stops polling.
  ///
  /// The closure must be pure and quick; it may run several times for one decision.
  ///
  /// - Parameter interval: Returns the interval for the current state.
  /// - Returns: The interval.
  public static func dynamic(_ interval: @escaping @Sendable (QueryInfo) -> Duration?) -> Self {
    RefetchInterval(kind: .dynamic(interval))
  }

  /// Doubles the interval with each poll that fails, up to a limit; the next data restores the
  /// interval.
  ///
  /// Without this, a server that fails gets as many requests as one that answers, and even more if
  /// the query retries.
  ///
  /// ```swift
  /// let price = Query("price") { try await api.price() }
  ///   .refetchInterval(.every(.seconds(5)).backingOff(to: .minutes(5)))
  /// ```
  ///
  /// For another rule, read ``QueryInfo/pollFailureCount`` in ``dynamic(_:)``.
  ///
  /// - Parameter limit: The longest interval; a limit that is shorter than the interval changes
  ///   nothing.
  /// - Returns: The interval.
  public func backingOff(to limit: Duration = .minutes(5)) -> Self {
    let kind = kind
    var backingOff = Self.dynamic { info in
      let interval: Duration? =
        switch kind {
        case .fixed(let span): span?.duration
        case .dynamic(let ask): ask(info)
        }
      return interval.map { Self.interval($0, after: info.pollFailureCount, limit: limit) }
    }
    backingOff.jitter = jitter
    return backingOff
  }

  /// Makes each interval shorter or longer by a random part, so that apps and queries that began to poll at
  /// the same moment do not keep polling at the same moment.
  ///
  /// ```swift
  /// let news = Query("news") { try await api.price() }
  ///   .refetchInterval(.every(.minutes(1)).backingOff().jittered(by: 0.1))   // 54 to 66 s
  /// ```
  ///
  /// The part is computed from the key, and from the time at which the last fetch ended, in nanoseconds.
  ///
  /// - Parameter part: The largest part, 0…1, in steps of 1/255: with 0.1, a minute becomes 54 to 66 s.
  /// - Returns: The interval.
  public func jittered(by part: Double) -> Self {
    var jittered = self
    // If the part is not a number, the comparison is false and there is no jitter.
    jittered.jitter = part > 0 ? UInt8(max(1, (min(part, 1) * 255).rounded())) : 0
    return jittered
  }

  static func interval(_ interval: Duration, after failures: Int, limit: Duration) -> Duration {
    guard failures > 0, interval > .zero, interval < limit else { return interval }
    var (result, left) = (interval, failures)
    while left > 0, result < limit {
      // The limit is halved instead of doubling the result, which could overflow if the limit is
      // enormous.
      result = result > limit / 2 ? limit : result * 2
      left -= 1
    }
    return result
  }

  /// The interval, if it does not depend on the entry's state.
  var fixed: TimeSpan? {
    if case .fixed(let span) = kind { span } else { nil }
  }

  func resolved(_ info: () -> QueryInfo) -> TimeSpan? {
    switch kind {
    case .fixed(let span): span
    case .dynamic(let ask): ask(info()).flatMap(TimeSpan.init(polling:))
    }
  }
}

extension TimeSpan {
  /// Creates an interval for polling of at least a millisecond, so that a wrong unit causes no busy loop;
  /// `nil` unless the duration is positive and finite.
  init?(polling duration: Duration) {
    let span = TimeSpan(duration)
    guard span > .zero, !span.isInfinite else { return nil }
    self = max(span, TimeSpan(.milliseconds(1)))
  }
}

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

  /// Polls at its own interval, like ``every(_:)``; a plain `.minutes(1)` does the same.
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

/// The pace of the refetches after a return: a reconnect of the network, or an activation of the app.
///
/// By default each return refetches all stale queries at once. An app that is switched to ten times in a
/// second refetches ten times, and after a loss of the network all queries of all clients ask their server in
/// the same millisecond.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.activationPacing = .coalescing(.seconds(1))
/// configuration.reconnectPacing = .coalescing(.seconds(1), spreading: .seconds(5))
/// ```
///
/// Fetches that callers await are never spread, nor are those of queries that have a condition as their
/// policy. For a stream of triggers, a query takes a pacing of its own: ``Query/refetch(on:pacing:)``.
public struct RefetchPacing: Hashable, Sendable {
  /// The time in which further returns count as the same one, from the first return that refetches.
  ///
  /// Further returns only resume paused fetches, except those that are spread.
  ///
  /// - At the end of the time, entries that got no data since the first return are refetched once more, as
  ///   their policies say. So no return is lost.
  /// - If the network is down again by then, or the app inactive, the next return refetches.
  /// - A return that resumes mutations refetches after their outcomes.
  ///
  /// Zero or less is off.
  public var coalescing: Duration
  /// The time over which the refetches of one return are spread.
  ///
  /// Their order and their distances are random. A refetch that is due while the network is down again, or the
  /// app inactive, is left to the next return. Zero or less is off.
  public var spreading: Duration

  /// Each return refetches all stale queries at once; the default.
  public static var off: Self { Self(coalescing: .zero, spreading: .zero) }

  /// Returns in quick succession count as one, and their refetches may be spread.
  ///
  /// - Parameters:
  ///   - coalescing: The time after a return in which further returns count as the same one.
  ///   - spreading: The time over which the refetches of one return are spread.
  /// - Returns: The pacing.
  public static func coalescing(_ coalescing: Duration, spreading: Duration = .zero) -> Self {
    Self(coalescing: coalescing, spreading: spreading)
  }

  /// Each return refetches, and its refetches are spread.
  ///
  /// - Parameter spreading: The time over which the refetches of one return are spread.
  /// - Returns: The pacing.
  public static func spreading(over spreading: Duration) -> Self {
    Self(coalescing: .zero, spreading: spreading)
  }

  /// Whether all refetches begin at once, without any pacing.
  var isOff: Bool { coalescing <= .zero && spreading <= .zero }
}
