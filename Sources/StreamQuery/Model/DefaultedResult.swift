/// One snapshot of a query that has a default value: there is always data to show.
///
/// It has every property of ``QueryResult`` besides, such as `isFetching` and `error`. They tell of
/// the query: while the default is shown, the result is still pending, or an error.
///
/// ```swift
/// let result = client.result(for: Query("todos") { try await api.todos() }.defaulting(to: []))
/// show(result.data.count, more: result.isFetching)
/// ```
@dynamicMemberLookup
public struct DefaultedResult<Value: Sendable>: Sendable, _FreeOfActors {
  /// The snapshot, which has no data while the default is shown.
  public let result: QueryResult<Value>

  @usableFromInline let defaultValue: Value

  @usableFromInline
  init(_ result: QueryResult<Value>, default defaultValue: Value) {
    self.result = result
    self.defaultValue = defaultValue
  }

  /// The newest data: fetched, written or a placeholder; the default if there is none.
  @inlinable
  public var data: Value { result.data ?? defaultValue }

  /// Whether there is no data, so that the default is shown.
  @inlinable
  public var isDefault: Bool { result.data == nil }

  /// What ``QueryResult`` says of the query.
  ///
  /// - Parameter property: The property, such as `isFetching`.
  /// - Returns: Its value.
  @inlinable
  public subscript<Property>(
    dynamicMember property: KeyPath<QueryResult<Value>, Property>
  ) -> Property {
    result[keyPath: property]
  }
}
