/// The results of a list of queries at one time, in the order of the list.
///
/// A result is looked up by its typed key. A key that is not in the list gives `nil`; a query that
/// failed gives a failed result.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// for await results in batch.stream {
///   if let user = results[.user(1)] { show(user.data, user.isError) }
/// }
/// ```
public struct QueryListResults: Sendable {
  let members: [(snapshot: EntrySnapshot, flags: QueryFlags)]

  /// The number of queries in the list.
  public var count: Int { members.count }

  /// The keys, in the order of the list.
  public var keys: [AnyQueryKey] { members.compactMap(\.snapshot.key?.key) }

  /// The result of a key; the first one if the list has the key twice.
  ///
  /// - Parameter key: The key.
  /// - Returns: The result; `nil` if the list has no such query.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(key: QueryKey<Value>) -> QueryResult<Value>? {
    let key = EntryKey(key)
    return members.first { $0.snapshot.key == key }.map(QueryResult.init)
  }

  /// The result of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The result; `nil` if the list has no query of that key.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(query: Query<Value>) -> QueryResult<Value>? { self[query.key] }

  /// The results of one value type, in the order of the list.
  ///
  /// - Parameter type: The value type.
  /// - Returns: The results of the queries of that type.
  public func results<Value: Sendable>(of type: Value.Type) -> [QueryResult<Value>] {
    members.filter { $0.snapshot.key?.valueTypeID == ObjectIdentifier(type) }.map(QueryResult.init)
  }

  /// Whether both are the same snapshots; quick, and `false` may still mean that they look alike.
  ///
  /// - Parameter other: Other results.
  /// - Returns: Whether nothing differs.
  /// - Complexity: O(*n*) in the length of the list.
  public func isSame(as other: Self) -> Bool {
    members.count == other.members.count
      && zip(members, other.members).allSatisfy {
        $0.flags == $1.flags && $0.snapshot.isSame(as: $1.snapshot, $0.flags)
      }
  }

  /// Whether any of the queries is pending: it has no data yet, and no final error.
  public var isPending: Bool { members.contains { $0.snapshot.status == .pending } }

  /// Whether any of the queries is fetching.
  public var isFetching: Bool { members.contains { $0.snapshot.fetchStatus == .fetching } }

  /// Whether all of the queries have data and no error.
  public var isSuccess: Bool { members.allSatisfy { $0.snapshot.status == .success } }

  /// The errors, in the order of the list.
  public var errors: [any Error] { members.compactMap { $0.snapshot.error?.error } }
}
