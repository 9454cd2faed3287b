/// Free-form facts about a query, visible to its fetch, to filters and in events.
///
/// The facts are typed like a SwiftUI environment: a key type names an entry and its value type.
///
/// ```swift
/// enum ErrorMessage: QueryMetaKey { static let defaultValue = "Something went wrong" }
/// Query("todos") { try await api.todos() }.meta(ErrorMessage.self, "Could not load the to-dos")
/// ```
public struct QueryMeta: Sendable, _FreeOfActors {
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// Creates an empty collection.
  public init() {}

  /// The value for a key, or the key's default.
  ///
  /// - Parameter key: The key type.
  public subscript<Key: QueryMetaKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  /// Whether nothing was set.
  public var isEmpty: Bool { values.isEmpty }

  /// Merges the entries of a layer over those of a weaker one.
  static func merge(_ meta: QueryMeta?, over base: QueryMeta?) -> QueryMeta? {
    meta.map { base?.merging($0) ?? $0 } ?? base
  }

  /// The entries of both values; where both have an entry, the one of `other` wins.
  func merging(_ other: QueryMeta) -> QueryMeta {
    guard !values.isEmpty else { return other }
    var merged = self
    merged.values.merge(other.values) { _, new in new }
    return merged
  }
}

/// Names an entry of ``QueryMeta`` and its value type.
public protocol QueryMetaKey: Sendable {
  /// The type of the entry's value.
  associatedtype Value: Sendable

  /// The value for a query without the entry.
  static var defaultValue: Value { get }
}
