/// The result of a query without its value type, as lists of queries of different types have it.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// show(batch.results.all.filter(\.isError).map(\.key))
/// ```
public struct AnyQueryResult: Sendable, _FreeOfActors {
  let snapshot: EntrySnapshot
  let flags: QueryFlags

  /// The key of the query, without its value type.
  public var key: AnyQueryKey? { snapshot.key?.key }

  /// The newest data: fetched, written, or a placeholder.
  public var data: (any Sendable)? { snapshot.data?.erased }

  /// Why the last fetch failed; `nil` after a success.
  public var error: (any Error)? { snapshot.error?.error }

  /// Whether there is data, an error, or nothing yet.
  public var status: QueryStatus { snapshot.status }

  /// What the fetch is doing.
  public var fetchStatus: FetchStatus { snapshot.fetchStatus }

  /// Whether there is no data yet, and no final error.
  public var isPending: Bool { status == .pending }

  /// Whether there is data and the last fetch or write succeeded.
  public var isSuccess: Bool { status == .success }

  /// Whether the last fetch failed.
  public var isError: Bool { status == .error }

  /// Whether a fetch is running or waiting for its next attempt.
  public var isFetching: Bool { fetchStatus == .fetching }

  /// Whether ``data`` is a stand-in that was never cached.
  public var isPlaceholderData: Bool { flags.contains(.placeholder) && snapshot.showsStandIn }

  /// Whether it is not yet known what a store keeps for the query.
  public var isRestoring: Bool { flags.contains(.restoring) }

  /// Whether both are the same snapshot; quick, and `false` may still mean that they look alike.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether nothing differs.
  public func isSame(as other: Self) -> Bool {
    flags == other.flags && snapshot.isSame(as: other.snapshot, flags)
  }

  /// Whether both show the same failure: each failed fetch is another one.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no error, or that of the same fetch.
  public func hasSameError(as other: Self) -> Bool {
    snapshot.error === other.snapshot.error
  }
}

extension QueryListResults {
  /// The results of all queries without their value types, in the order of the list.
  public var all: [AnyQueryResult] { members.map(AnyQueryResult.init) }

  /// The position of a key in the list; the first one if the list has the key twice.
  ///
  /// - Parameter key: The key.
  /// - Returns: The position; `nil` if the list has no such query.
  /// - Complexity: O(*n*) in the length of the list.
  public func position<Value>(of key: QueryKey<Value>) -> Int? {
    let key = EntryKey(key)
    return members.firstIndex { $0.snapshot.key == key }
  }
}
