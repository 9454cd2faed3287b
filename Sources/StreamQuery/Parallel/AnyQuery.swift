/// A query whose value type is not part of its own type: what lists of unlike queries hold.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// ```
public struct AnyQuery: Sendable, _FreeOfActors {
  /// The key, without its value type.
  public var key: AnyQueryKey { entryKey.key }

  let entryKey: EntryKey
  let plan: QueryPlan
  let options: ObserverOptions?

  /// Takes the type off a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: What the observer asks for beyond the query.
  public init<Value>(_ query: Query<Value>, options: ObserverOptions? = nil) {
    entryKey = EntryKey(query.key)
    plan = query.plan
    self.options = options
  }
}
