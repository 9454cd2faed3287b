/// How long fetched data counts as fresh.
///
/// Fresh data is shown and returned without a request. Stale data is still shown, and refreshed
/// when something asks: a subscription, a reconnect, the app coming to the front. Data is stale
/// when its age **equals** the stale time, so zero means stale at once.
///
/// ```swift
/// Query("user", id) { try await api.user(id) }.staleTime(.minutes(5))
/// Query("countries") { try await api.countries() }.staleTime(.infinite)
/// ```
public struct StaleTime: Sendable, _FreeOfActors, ExpressibleByDuration {
  enum Kind: Sendable {
    case fixed(Freshness)
    case dynamic(@Sendable (QueryInfo) -> StaleTime)
  }

  let kind: Kind

  private init(kind: Kind) {
    self.kind = kind
  }

  /// Fresh for a duration, like ``after(_:)``; `.minutes(5)` and the like are shorter.
  ///
  /// - Parameter duration: How long.
  public init(_ duration: Duration) {
    self = .after(duration)
  }

  /// Fresh for a duration; negative durations count as zero, durations above 100 years as infinite.
  ///
  /// - Parameter duration: How long.
  /// - Returns: The stale time.
  public static func after(_ duration: Duration) -> Self {
    StaleTime(kind: .fixed(.after(TimeSpan(duration))))
  }

  /// Never stale by age; an invalidation still makes it stale.
  public static var infinite: Self { StaleTime(kind: .fixed(.after(.infinite))) }

  /// Gives nothing: the right name is ``infinite``.
  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "infinite")
  public static var infinity: Self { infinite }

  /// Never stale, not even by invalidation, and omitted from bulk refetches.
  ///
  /// Subscriptions, reconnects and the app's return do not refetch it, whatever their policy. A
  /// handle's `refetch`, a reset or a removal does, and so do an interval and the query's own
  /// trigger streams.
  public static var `static`: Self { StaleTime(kind: .fixed(.static)) }

  /// A stale time that is evaluated again whenever the entry changes.
  ///
  /// The closure must be pure and quick; it may run several times for one decision.
  ///
  /// - Parameter staleTime: Returns the stale time for the current state.
  /// - Returns: The stale time.
  public static func dynamic(_ staleTime: @escaping @Sendable (QueryInfo) -> StaleTime) -> Self {
    StaleTime(kind: .dynamic(staleTime))
  }

  /// The answer, if it does not depend on the entry's state.
  var fixed: Freshness? {
    if case .fixed(let freshness) = kind { freshness } else { nil }
  }

  /// The answer for the current state; an answer that is dynamic itself counts as stale at once.
  func resolved(_ info: () -> QueryInfo) -> Freshness {
    switch kind {
    case .fixed(let freshness): return freshness
    case .dynamic(let ask):
      if case .fixed(let freshness) = ask(info()).kind { return freshness }
      return .after(.zero)
    }
  }
}

/// A stale time as machines see it.
package enum Freshness: Hashable, Sendable {
  /// Stale when this old.
  case after(TimeSpan)
  /// Never stale once there is data.
  case `static`

  /// Whether data that is there is stale.
  ///
  /// - Parameters:
  ///   - updatedAt: When it was up to date.
  ///   - isInvalidated: Whether it was marked as invalidated since.
  ///   - now: The time of the decision.
  /// - Returns: Whether it is stale.
  @inline(__always)
  func isStale(updatedAt: Instant, isInvalidated: Bool, at now: Instant) -> Bool {
    switch self {
    case .static: return false
    case .after(let span):
      guard !isInvalidated else { return true }
      guard let flip = updatedAt + span else { return false }
      return now >= flip
    }
  }
}

/// The age of an answer, as its fetch reported it.
package struct AnswerAge: Hashable, Sendable {
  /// The time when the answer was up to date.
  package var updatedAt: Timestamp
  /// Whether something has changed since, if that is known.
  package var isOutdated: Bool?

  /// Creates an age.
  ///
  /// - Parameters:
  ///   - updatedAt: When the answer was up to date.
  ///   - isOutdated: Whether something has changed since, if that is known.
  package init(updatedAt: Timestamp, isOutdated: Bool? = nil) {
    self.updatedAt = updatedAt
    self.isOutdated = isOutdated
  }
}

extension AnswerAge {
  /// The time when the answer was up to date, which is not after it landed.
  ///
  /// - Parameter now: When it lands.
  /// - Returns: The date of the data.
  func date(at now: Timestamp) -> Timestamp {
    updatedAt.instant < now.instant ? updatedAt : now
  }

  /// Combines the ages of two parts of an answer: it is as old as the older one.
  ///
  /// It is outdated if either answer is, and known to be up to date only if both are.
  ///
  /// - Parameter other: The age of the other part; `nil` is new.
  /// - Returns: The age of both.
  func joined(with other: AnswerAge?) -> AnswerAge {
    guard let other else { return self }
    let older = updatedAt.instant < other.updatedAt.instant ? updatedAt : other.updatedAt
    if isOutdated == true || other.isOutdated == true {
      return AnswerAge(updatedAt: older, isOutdated: true)
    }
    let isKnown = isOutdated != nil && other.isOutdated != nil
    return AnswerAge(updatedAt: older, isOutdated: isKnown ? false : nil)
  }
}
