/// A rule that a store breaks, and the observation.
public struct StoreViolation: Hashable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: StoreRule
  /// The observed behaviour that breaks the rule.
  public var seen: String

  /// Creates a violation.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - seen: The observed behaviour of the store.
  public init(rule: StoreRule, seen: String) {
    self.rule = rule
    self.seen = seen
  }

  /// The rule, and the observed behaviour.
  public var description: String { "\(rule) But \(seen)." }
}
