/// Whether a query fetches by itself.
public enum Enabled: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  /// Always or never.
  case fixed(Bool)
  /// Evaluated whenever the entry changes; must be pure and quick, and may run several times.
  case when(@Sendable (QueryInfo) -> Bool)

  /// Always or never.
  ///
  /// - Parameter value: Whether the query fetches by itself.
  public init(booleanLiteral value: Bool) {
    self = .fixed(value)
  }

  /// The answer, if no closure has to be called.
  var fixed: Bool? {
    if case .fixed(let isEnabled) = self { isEnabled } else { nil }
  }

  func resolved(_ info: () -> QueryInfo) -> Bool {
    switch self {
    case .fixed(let isEnabled): isEnabled
    case .when(let ask): ask(info())
    }
  }
}
