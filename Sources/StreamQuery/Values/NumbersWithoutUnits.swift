// These declarations catch durations that are written as plain numbers: the compiler then says how to write
// them. Otherwise it would list the types of all candidates, and not mention seconds.

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
