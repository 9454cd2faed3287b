/// A rule that a shared store breaks, with the observed behaviour.
public struct SharedStoreViolation: Hashable, Sendable, CustomStringConvertible {
  /// The rule.
  public var rule: SharedStoreRule
  /// The observed behaviour of the store.
  public var seen: String

  /// Creates a violation.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - seen: The observed behaviour of the store.
  public init(rule: SharedStoreRule, seen: String) {
    self.rule = rule
    self.seen = seen
  }

  /// The rule, and the observed behaviour.
  public var description: String { "\(rule) But \(seen)." }
}
