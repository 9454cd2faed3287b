/// How often an observed query is refetched, whether stale or not.
///
/// One rhythm serves all observers of a key: the shortest interval that any enabled one asks for.
/// Each fetch, failed attempts included, starts it anew; a write does not.
public struct RefetchInterval: Sendable, _FreeOfActors, ExpressibleByDuration {
  enum Kind: Sendable {
    case fixed(Span?)
    case dynamic(@Sendable (QueryInfo) -> Duration?)
  }

  let kind: Kind

  private init(kind: Kind) {
    self.kind = kind
  }

  /// No polling; the default.
  public static var off: Self { RefetchInterval(kind: .fixed(nil)) }

  /// Polls, as ``every(_:)``; `.seconds(30)` and the like are shorter.
  ///
  /// - Parameter duration: The time between two fetches.
  public init(_ duration: Duration) {
    self = .every(duration)
  }

  /// Polls; only positive durations do, others mean ``off``.
  ///
  /// - Parameter duration: The time between two fetches.
  /// - Returns: The interval.
  public static func every(_ duration: Duration) -> Self {
    RefetchInterval(kind: .fixed(Span(polling: duration)))
  }

  /// Asked anew whenever the entry changes; `nil` stops polling.
  ///
  /// The closure must be pure and quick; it may run several times for one decision.
  ///
  /// - Parameter interval: Gives the interval for the present state.
  /// - Returns: The interval.
  public static func dynamic(_ interval: @escaping @Sendable (QueryInfo) -> Duration?) -> Self {
    RefetchInterval(kind: .dynamic(interval))
  }

  /// The interval, if nobody has to be asked.
  var fixed: Span? {
    if case .fixed(let span) = kind { span } else { nil }
  }

  func resolved(_ info: () -> QueryInfo) -> Span? {
    switch kind {
    case .fixed(let span): span
    case .dynamic(let ask): ask(info()).flatMap(Span.init(polling:))
    }
  }
}

extension Span {
  /// An interval that can be polled at: positive and finite, and at least a millisecond, so that a
  /// wrong unit cannot spin.
  init?(polling duration: Duration) {
    let span = Span(duration)
    guard span > .zero, !span.isInfinite else { return nil }
    self = max(span, Span(.milliseconds(1)))
  }
}
