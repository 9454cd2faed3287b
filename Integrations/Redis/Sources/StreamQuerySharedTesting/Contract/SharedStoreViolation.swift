/// A rule that a shared store breaks, and how it was seen.
public struct SharedStoreViolation: Hashable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: SharedStoreRule
  /// What the store did.
  public var seen: String

  /// Creates a violation.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - seen: What the store did.
  public init(rule: SharedStoreRule, seen: String) {
    self.rule = rule
    self.seen = seen
  }

  /// The rule, and what the store did.
  public var description: String { "\(rule) But \(seen)." }
}
