/// A query with a default value, which is shown while there is no data, so that data is never
/// `nil`.
///
/// Name such a query once, with the place where its data is kept. Code that uses the query needs to know
/// neither the place nor the default:
///
/// ```swift
/// extension DefaultedQuery<[String]> {
///   static var todos: Self {
///     Query("todos") { try await api.todos() }.persisted(in: store).defaulting(to: [])
///   }
/// }
///
/// for await result in client.stream(.todos) { show(result.data.count, more: result.isFetching) }
/// try await client.restore()
/// client.updateData(for: .todos) { todos in todos.append("Read the news") }
/// ```
///
/// The default is never cached, saved or sent: the same ``query`` without the default shows no data. It is no
/// placeholder either: with a placeholder a query is a success, and with a default it is pending or an error.
///
/// Each call of a ``QueryClient`` that fetches, reads, writes, invalidates, refetches, resets, cancels or
/// removes one query takes this one, too. To a call that takes only a ``Query``, pass ``query``, written out:
/// `DefaultedQuery.todos.query`.
///
/// If there is a ``Query`` of the same name too, a call such as `client.data(for: .todos)` uses that query.
/// Give a ``QueryKey`` another name, because such a call would be ambiguous.
public struct DefaultedQuery<Value: Sendable>: Sendable, _FreeOfActors {
  /// The query without its default.
  public let query: Query<Value>

  /// The value that is shown while there is no data.
  public let defaultValue: Value

  /// Creates a query with a default.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - defaultValue: The value that is shown while there is no data.
  public init(_ query: Query<Value>, default defaultValue: Value) {
    self.query = query
    self.defaultValue = defaultValue
  }

  /// The identity of the cached value.
  public var key: QueryKey<Value> { query.key }
}

extension Query {
  /// The same query with a default value, to be shown while there is no data.
  ///
  /// Set options before: the result is not a ``Query`` any more.
  ///
  /// ```swift
  /// let todos = Query("todos") { try await api.todos() }.staleTime(.minutes(1)).defaulting(to: [])
  /// show(client.data(for: todos).count)
  /// ```
  ///
  /// - Parameter value: The default value; it is never cached.
  /// - Returns: The query with its default.
  public func defaulting(to value: Value) -> DefaultedQuery<Value> {
    DefaultedQuery(self, default: value)
  }
}

/// One snapshot of a query that has a default value: there is always data to show.
///
/// A result also has every property of ``QueryResult``, such as `isFetching` and `error`. These describe
/// the query: while the default is shown, the result is still pending, or an error.
///
/// ```swift
/// let result = client.result(for: Query("todos") { try await api.todos() }.defaulting(to: []))
/// show(result.data.count, more: result.isFetching)
/// ```
@dynamicMemberLookup
public struct DefaultedResult<Value: Sendable>: Sendable, _FreeOfActors {
  /// The snapshot; it has no data while the default is shown.
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

  /// A property of the query's ``QueryResult``.
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

/// The snapshots of a query that has a default value, as a cold sequence.
///
/// This is a ``QueryResults`` in which each element has data: each iterator is its own subscription, and
/// stays on the caller's actor.
///
/// ```swift
/// let todos = Query("todos") { try await api.todos() }.defaulting(to: [])
/// for await result in client.results(of: todos) { show(result.data.count, more: result.isFetching) }
/// ```
public struct DefaultedResults<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = DefaultedResult<Value>
  /// The sequence cannot fail: a failed fetch is a state in the results.
  public typealias Failure = Never

  private let results: QueryResults<Value>
  private let defaultValue: Value

  init(_ results: QueryResults<Value>, default defaultValue: Value) {
    self.results = results
    self.defaultValue = defaultValue
  }

  /// Starts to observe.
  ///
  /// - Returns: An iterator that holds the subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: results.makeAsyncIterator(), defaultValue: defaultValue)
  }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol {
    /// A snapshot.
    public typealias Element = DefaultedResult<Value>
    /// The sequence cannot fail.
    public typealias Failure = Never

    fileprivate var base: QueryResults<Value>.Iterator
    fileprivate let defaultValue: Value

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Parameter actor: The caller's isolation, which is kept.
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> DefaultedResult<Value>? {
      await base.next(isolation: actor).map { DefaultedResult($0, default: defaultValue) }
    }

    /// The newest unseen snapshot, as soon as there is one.
    ///
    /// - Returns: The snapshot; `nil` when cancelled or when the client was shut down.
    public mutating func next() async -> DefaultedResult<Value>? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension DefaultedResults.Iterator: Sendable {}
