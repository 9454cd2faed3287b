internal import StreamQuery

/// The identity of a query among those of a client: equal parts of a key with another type are
/// another query.
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
