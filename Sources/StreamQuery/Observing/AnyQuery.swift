/// A query without its value type, for lists of queries of different types.
///
/// ```swift
/// let batch = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
/// ```
public struct AnyQuery: Sendable, _FreeOfActors {
  /// The key, without its value type.
  public var key: AnyQueryKey { entryKey.key }

  /// The type of the value: queries with equal key parts but different value types are different.
  public var valueType: any Any.Type { entryKey.valueType }

  let entryKey: EntryKey
  let definition: QueryDefinition
  private(set) var options: ObserverOptions?

  /// Creates a type-erased query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, over those of the query.
  public init<Value>(_ query: Query<Value>, options: ObserverOptions? = nil) {
    entryKey = EntryKey(query.key)
    definition = query.definition
    self.options = options
  }

  /// Sets whether the query fetches by itself in its list; `Query.enabled(_:)` sets it for all observers.
  ///
  /// - Parameter isEnabled: Whether the query fetches by itself.
  /// - Returns: The changed query.
  public func enabled(_ isEnabled: Bool) -> Self {
    var changed = self
    changed.options = options ?? ObserverOptions()
    changed.options?.enabled = .fixed(isEnabled)
    return changed
  }
}

/// The result of a query without its value type, in lists of queries of different types.
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

  /// The error of the last fetch; `nil` after a success.
  public var error: (any Error)? { snapshot.error?.error }

  /// Whether there is data, an error, or nothing yet.
  public var status: QueryStatus { snapshot.status }

  /// The state of the fetch.
  public var fetchStatus: FetchStatus { snapshot.fetchStatus }

  /// Whether there is no data yet, and no final error.
  public var isPending: Bool { status == .pending }

  /// Whether there is data and the last fetch or write succeeded.
  public var isSuccess: Bool { status == .success }

  /// Whether the last fetch failed.
  public var isError: Bool { status == .error }

  /// Whether a fetch is running or waiting for its next attempt.
  public var isFetching: Bool { fetchStatus == .fetching }

  /// Whether ``data`` is a placeholder that was never cached.
  public var isPlaceholderData: Bool { flags.contains(.placeholder) && snapshot.showsPlaceholder }

  /// Whether the client does not know yet if a store has data for the query.
  public var isRestoring: Bool { flags.contains(.restoring) }

  /// Whether both results are the same snapshot; a quick test that may return `false` for equal results.
  ///
  /// - Parameter other: Another result.
  /// - Returns: `true` only if nothing differs.
  @_spi(Adapters) public func isSame(as other: Self) -> Bool {
    flags == other.flags && snapshot.isSame(as: other.snapshot, flags)
  }

  /// Whether both results show the same failure; each failed fetch is a failure of its own.
  ///
  /// - Parameter other: Another result.
  /// - Returns: Whether both have no error, or the error of the same fetch.
  @_spi(Adapters) public func hasSameError(as other: Self) -> Bool {
    snapshot.error === other.snapshot.error
  }
}

extension QueryFilter {
  /// Exactly the entries of a list of queries.
  ///
  /// ```swift
  /// let batch = [AnyQuery(.user(1)), AnyQuery(.repos(1))]
  /// await client.refetch(.queries(batch))
  /// ```
  ///
  /// - Parameter queries: The queries; an empty list matches no entry.
  /// - Returns: The filter.
  public static func queries(_ queries: [AnyQuery]) -> Self {
    any(of: queries.map { Self(.entry($0.entryKey)) })
  }
}

nonisolated extension QueryClient {
  /// Whether an error of a query is thrown to an error boundary; see `shouldThrow(_:of:)` of a query
  /// with its value type.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - query: The query.
  /// - Returns: Whether it is thrown.
  @_spi(Adapters)
  public nonisolated func shouldThrow(_ error: any Error, of query: AnyQuery) -> Bool {
    let policy =
      query.definition.options.throwOnError
      ?? defaultOptions(for: query.key).throwOnError ?? .never
    return policy.shouldThrow(error, of: diagnostics(.queries([query])).first)
  }
}
