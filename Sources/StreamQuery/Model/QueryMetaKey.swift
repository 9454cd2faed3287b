/// Names an entry of ``QueryMeta`` and its value type.
public protocol QueryMetaKey: Sendable {
  /// The type of the entry's value.
  associatedtype Value: Sendable

  /// What a query without the entry has.
  static var defaultValue: Value { get }
}
