/// A violation of a rule by a store, with the observed behaviour.
public struct StoreViolation: Hashable, Sendable, CustomStringConvertible {
  /// The rule that the store breaks.
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

  /// The rule and the observed behaviour, as two sentences.
  public var description: String { "\(rule) But \(seen)." }
}
