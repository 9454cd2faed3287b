internal import StreamQuery

/// The identity of a query in a client: two queries with equal keys and different value types are different.
struct QueryIdentity: Hashable {
  private let key: AnyQueryKey
  private let valueType: ObjectIdentifier

  init<Value>(_ key: QueryKey<Value>) {
    (self.key, valueType) = (key.erased, ObjectIdentifier(Value.self))
  }

  init(_ query: AnyQuery) {
    (key, valueType) = (query.key, ObjectIdentifier(query.valueType))
  }
}
