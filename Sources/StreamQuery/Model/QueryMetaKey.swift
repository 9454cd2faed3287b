/// Names an entry of ``QueryMeta`` and its value type.
public protocol QueryMetaKey: Sendable {
  /// The type of the entry's value.
  associatedtype Value: Sendable

  /// The value for a query without the entry.
  static var defaultValue: Value { get }
}
