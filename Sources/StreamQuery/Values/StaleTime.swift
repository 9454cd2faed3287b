/// How long fetched data counts as fresh.
///
/// Fresh data is shown and returned without a request. Stale data is still shown, and refreshed
/// when something asks: a subscription, a reconnect, the app coming to the front. Data is stale
/// when its age **equals** the stale time, so zero means stale at once.
///
/// ```swift
/// Query("users", id) { try await api.user(id) }.staleTime(.minutes(5))
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

  /// Fresh for a duration, like ``after(_:)``; a plain `.minutes(5)` does the same.
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

  /// Never stale, not even by invalidation, and omitted from bulk refetches while observed.
  ///
  /// Subscriptions, reconnects and activations do not refetch such data, whatever their policy. The
  /// `refetch` of an observer's handle, a reset or a removal does, and so do an interval and the query's
  /// own trigger streams.
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

  /// The stale time, if it does not depend on the entry's state.
  var fixed: Freshness? {
    if case .fixed(let freshness) = kind { freshness } else { nil }
  }

  /// The stale time for the current state; if a closure returns a dynamic one, the data is stale at once.
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
  /// Data of this age is stale.
  case after(TimeSpan)
  /// Data is never stale.
  case `static`

  /// Whether data that exists is stale.
  ///
  /// - Parameters:
  ///   - updatedAt: When the data was up to date.
  ///   - isInvalidated: Whether the data was marked as invalidated since.
  ///   - now: The time of the decision.
  /// - Returns: Whether the data is stale.
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
  /// Whether the data on the server has changed since that time; `nil` if that is not known.
  package var isOutdated: Bool?

  /// Creates an age.
  ///
  /// - Parameters:
  ///   - updatedAt: When the answer was up to date.
  ///   - isOutdated: Whether the data has changed since; `nil` if that is not known.
  package init(updatedAt: Timestamp, isOutdated: Bool? = nil) {
    self.updatedAt = updatedAt
    self.isOutdated = isOutdated
  }
}

extension AnswerAge {
  /// The time when the answer was up to date, `now` at the latest.
  ///
  /// - Parameter now: The time when the answer becomes the data.
  /// - Returns: The date of the data.
  func date(at now: Timestamp) -> Timestamp {
    updatedAt.instant < now.instant ? updatedAt : now
  }

  /// Combines the ages of two parts of an answer: the answer is as old as the older part.
  ///
  /// The answer is outdated if either part is, and known to be up to date only if both parts are.
  ///
  /// - Parameter other: The age of the other part; `nil` means that the other part is new.
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
