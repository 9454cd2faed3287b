/// The number of retries of a failed fetch, and the waits before them.
///
/// Queries retry three times with ``RetryBackoff/standard`` unless told otherwise; imperative calls
/// (`fetch`, `ensure`, `prefetch`) do not retry unless the query or a default says so.
///
/// ```swift
/// Query("rates") { try await api.rates() }.retry(5)
/// Query("rates") { try await api.rates() }.retry(.while { failures, error in
///   failures < 2 && !(error is AuthError)
/// })
/// ```
///
/// A cancelled attempt is never retried, whatever the policy.
///
/// A policy has two halves: how often to retry and how long to wait. If it gives only one of them,
/// the other comes from the layer below: the defaults of the key, then those of the client.
///
/// ```swift
/// client.setDefaults(QueryDefaults(options: QueryOptions(retry: .backoff(.constant(.seconds(2))))))
/// Query("rates") { try await api.rates() }.retry(5)   // each after two seconds
/// ```
public struct RetryPolicy: Sendable, _FreeOfActors, ExpressibleByIntegerLiteral {
  /// The rule for how often to retry.
  private enum Rule: Sendable {
    case never
    /// A number of retries; a closure instead would be one more object for each query.
    case times(Int)
    /// A closure that decides, from the error and the number of earlier failures, which is 0 at the first
    /// failure.
    case asked(@Sendable (_ failures: Int, _ error: any Error) -> Bool)
  }

  /// How often to retry; `nil` defers to the layer below.
  private let rule: Rule?

  /// The waits; `nil` defers to the layer below.
  private var backoff: RetryBackoff?

  private init(backoff: RetryBackoff? = nil, _ rule: Rule?) {
    self.rule = rule
    self.backoff = backoff
  }

  /// A number of retries after the first attempt.
  ///
  /// - Parameter value: How many; negative ones mean none.
  public init(integerLiteral value: Int) {
    self = .times(value)
  }

  /// No retry.
  public static var never: Self { RetryPolicy(.never) }

  /// Retries until the fetch succeeds or nobody wants it.
  public static var forever: Self { RetryPolicy(.asked { _, _ in true }) }

  /// A number of retries after the first attempt.
  ///
  /// - Parameter count: How many; negative ones mean none.
  /// - Returns: The policy.
  public static func times(_ count: Int) -> Self {
    count > 0 ? RetryPolicy(.times(count)) : .never
  }

  /// Retries while a predicate holds.
  ///
  /// - Parameter predicate: Receives the number of failures before this one (0 at the first) and
  ///   the error. It may run on any thread.
  /// - Returns: The policy.
  public static func `while`(
    _ predicate: @escaping @Sendable (_ failures: Int, _ error: any Error) -> Bool
  ) -> Self {
    RetryPolicy(.asked(predicate))
  }

  /// Gives nothing: the right name is ``while(_:)``.
  ///
  /// - Parameter predicate: The predicate.
  /// - Returns: Nothing.
  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "while(_:)")
  public static func when(
    _ predicate: @escaping @Sendable (_ failures: Int, _ error: any Error) -> Bool
  ) -> Self {
    .while(predicate)
  }

  /// Sets only the waits.
  ///
  /// How often to retry comes from the layer below: unless set, three times for queries and never
  /// for imperative calls and mutations.
  ///
  /// - Parameter backoff: How long to wait before each retry.
  /// - Returns: The policy.
  public static func backoff(_ backoff: RetryBackoff) -> Self {
    RetryPolicy(backoff: backoff, nil)
  }

  /// Returns the policy with other waits.
  ///
  /// - Parameter backoff: How long to wait before each retry.
  /// - Returns: The policy.
  public func backoff(_ backoff: RetryBackoff) -> Self {
    var copy = self
    copy.backoff = backoff
    return copy
  }

  /// Returns this policy, with the rule or the waits of a weaker policy where this policy sets none.
  func over(_ base: RetryPolicy?) -> RetryPolicy {
    guard let base, backoff == nil || rule == nil else { return self }
    return RetryPolicy(backoff: backoff ?? base.backoff, rule ?? base.rule)
  }

  /// The number of retries; `nil` if a closure decides.
  var fixedCount: Int? {
    switch rule {
    case .never, nil: 0
    case .times(let count): count
    case .asked: nil
    }
  }

  /// The longest wait before a retry.
  var longestWait: TimeSpan { (backoff ?? .standard).longest }

  /// Whether any failure may be retried.
  var mayRetry: Bool { fixedCount != 0 }

  /// Merges the policy of a layer over the policy of a weaker layer.
  static func merge(_ policy: RetryPolicy?, over base: RetryPolicy?) -> RetryPolicy? {
    policy.map { $0.over(base) } ?? base
  }

  /// The wait before a retry, whatever the rule for how often to retry.
  ///
  /// - Parameters:
  ///   - failures: The number of failures before this one.
  ///   - error: The error of this attempt.
  ///   - jitter: A random number in 0..<1.
  /// - Returns: The wait.
  func wait(failures: Int, error: any Error, jitter: @autoclosure () -> Double) -> TimeSpan {
    TimeSpan((backoff ?? .standard).delay(failures, error, jitter))
  }

  /// The wait before the next attempt; `nil` to give up.
  ///
  /// `AttemptAnswer` calls this for a fetch, unless the attempt was cancelled.
  ///
  /// - Parameters:
  ///   - failures: The number of failures before this one.
  ///   - error: The error of this attempt.
  ///   - jitter: A random number in 0..<1.
  /// - Returns: The wait.
  func delay(failures: Int, error: any Error, jitter: @autoclosure () -> Double) -> TimeSpan? {
    switch rule {
    case .times(let count): guard failures < count else { return nil }
    case .asked(let decides): guard decides(failures, error) else { return nil }
    case .never, nil: return nil
    }
    return TimeSpan((backoff ?? .standard).delay(failures, error, jitter))
  }
}

/// The waits before the retries.
public struct RetryBackoff: Sendable, _FreeOfActors {
  /// The longest wait, without jitter.
  let longest: TimeSpan
  /// Makes a wait from the number of earlier failures, the error, and a source of numbers in 0..<1.
  let delay: @Sendable (_ failures: Int, _ error: any Error, _ jitter: () -> Double) -> Duration

  /// One second, doubled after each failure, 30 seconds at most.
  public static var standard: Self { .exponential() }

  /// The same wait each time.
  ///
  /// - Parameter duration: The wait.
  /// - Returns: The backoff.
  public static func constant(_ duration: Duration) -> Self {
    RetryBackoff(longest: TimeSpan(duration)) { _, _, _ in duration }
  }

  /// A wait that grows by a factor with each failure.
  ///
  /// | failures before | first 1 s, factor 2, limit 30 s |
  /// |---|---|
  /// | 0 | 1 s |
  /// | 1 | 2 s |
  /// | 4 | 16 s |
  /// | 5 and more | 30 s |
  ///
  /// - Parameters:
  ///   - first: The wait after the first failure.
  ///   - factor: The factor between a wait and the next one; below 1 counts as 1.
  ///   - limit: The longest wait.
  ///   - jitter: The random share of each wait, 0…1: with 0.5 a wait of 8 s becomes 4 to 8 s, so
  ///     that many clients that failed together do not come back together.
  /// - Returns: The backoff.
  public static func exponential(
    first: Duration = .seconds(1),
    factor: Double = 2,
    limit: Duration = .seconds(30),
    jitter: Double = 0
  ) -> Self {
    let factor = factor.isFinite ? max(factor, 1) : 1
    let share = jitter.isNaN ? 0 : min(max(jitter, 0), 1)
    // The computation is in seconds, which cannot overflow: a product beyond the range is infinite.
    let first = first / .seconds(1)
    let limit = min(max(limit / .seconds(1), 0), 1e10)
    let shortest = min(max(first, 0), limit)
    let longest = shortest > 0 && factor > 1 ? limit : shortest
    return RetryBackoff(longest: TimeSpan(.seconds(longest))) { failures, _, chance in
      var wait = shortest
      // The loop ends when the limit is reached, however many failures there were.
      var remaining = failures
      while remaining > 0, factor > 1, wait > 0, wait < limit {
        wait = min(wait * factor, limit)
        remaining -= 1
      }
      return .seconds(share > 0 ? wait * (1 - share * chance()) : wait)
    }
  }

  /// A custom rule.
  ///
  /// The longest wait of a custom rule is not known: an endless stream, which needs it, assumes 30 seconds.
  ///
  /// - Parameter delay: Receives the number of failures before this one (0 at the first) and the
  ///   error.
  /// - Returns: The backoff.
  public static func custom(
    _ delay: @escaping @Sendable (_ failures: Int, _ error: any Error) -> Duration
  ) -> Self {
    RetryBackoff(longest: TimeSpan(.seconds(30))) { failures, error, _ in delay(failures, error) }
  }
}
