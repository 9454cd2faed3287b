/// A rule that a store breaks, and how it was seen.
public struct StoreViolation: Hashable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: StoreRule
  /// The observed behaviour that breaks the rule.
  public var seen: String

  /// Creates a violation.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - seen: What the store did.
  public init(rule: StoreRule, seen: String) {
    self.rule = rule
    self.seen = seen
  }

  /// The rule, and what the store did.
  public var description: String { "\(rule) But \(seen)." }
}
