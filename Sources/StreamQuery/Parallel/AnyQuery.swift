/// A query without its value type, for lists of queries of different types.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// ```
public struct AnyQuery: Sendable, _FreeOfActors {
  /// The key, without its value type.
  public var key: AnyQueryKey { entryKey.key }

  /// The type of the value: queries whose keys differ only by it are different ones.
  public var valueType: any Any.Type { entryKey.valueType }

  let entryKey: EntryKey
  let definition: QueryDefinition
  private(set) var options: ObserverOptions?

  /// Creates a type-erased query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, in addition to those of the query.
  public init<Value>(_ query: Query<Value>, options: ObserverOptions? = nil) {
    entryKey = EntryKey(query.key)
    definition = query.definition
    self.options = options
  }

  /// Whether the query fetches by itself for its list; a bulk form of `Query.enabled(_:)`.
  ///
  /// - Parameter isEnabled: Whether it does.
  /// - Returns: The changed query.
  public func enabled(_ isEnabled: Bool) -> Self {
    var changed = self
    changed.options = options ?? ObserverOptions()
    changed.options?.enabled = .fixed(isEnabled)
    return changed
  }
}
