// Durations that are written as numbers. The compiler says how to write them; without these declarations it
// lists the types of all candidates, and does not mention seconds.

@_documentation(visibility: internal)
@available(*, unavailable, message: "write the unit, such as .seconds(60)")
extension StaleTime: ExpressibleByIntegerLiteral {
  /// Creates nothing: say what the number counts.
  ///
  /// - Parameter value: A number without a unit.
  public init(integerLiteral value: Int) { self = .after(.zero) }
}

@_documentation(visibility: internal)
@available(*, unavailable, message: "write the unit, such as .seconds(60)")
extension RefetchInterval: ExpressibleByIntegerLiteral {
  /// Creates nothing: say what the number counts.
  ///
  /// - Parameter value: A number without a unit.
  public init(integerLiteral value: Int) { self = .off }
}

@_documentation(visibility: internal)
@available(*, unavailable, message: "write the unit, such as .seconds(60)")
extension BackgroundInterval: ExpressibleByIntegerLiteral {
  /// Creates nothing: say what the number counts.
  ///
  /// - Parameter value: A number without a unit.
  public init(integerLiteral value: Int) { self = .off }
}

@_documentation(visibility: internal)
@available(*, unavailable, message: "write the unit, such as .seconds(60)")
extension FailureCaching: ExpressibleByIntegerLiteral {
  /// Creates nothing: say what the number counts.
  ///
  /// - Parameter value: A number without a unit.
  public init(integerLiteral value: Int) { self = .off }
}
