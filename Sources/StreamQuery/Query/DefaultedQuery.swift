/// A query with the value that is shown while there is no data, so that data is never `nil`.
///
/// Name it once, with the place where its data is kept. Whoever uses it needs to know neither the
/// place nor the default:
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
/// The default is never cached, saved or sent: the same ``query`` without it shows no data. It is
/// not a placeholder either, which a query shows as a success. What takes only a ``Query`` takes
/// ``query``, written out: `DefaultedQuery.todos.query`.
///
/// If a query has the same name, calls that take both mean the query. A key needs another name.
public struct DefaultedQuery<Value: Sendable>: Sendable, _FreeOfActors {
  /// The query without its default.
  public let query: Query<Value>

  /// What is shown while there is no data.
  public let defaultValue: Value

  /// Creates a query with a default.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - defaultValue: What is shown while there is no data.
  public init(_ query: Query<Value>, default defaultValue: Value) {
    self.query = query
    self.defaultValue = defaultValue
  }

  /// The identity of the cached value.
  public var key: QueryKey<Value> { query.key }
}

extension Query {
  /// The same query with a value that is shown while there is no data.
  ///
  /// Options are set before: what this returns is no ``Query`` any more.
  ///
  /// ```swift
  /// let todos = Query("todos") { try await api.todos() }.staleTime(.minutes(1)).defaulting(to: [])
  /// show(client.data(for: todos).count)
  /// ```
  ///
  /// - Parameter value: What is shown; it is never cached.
  /// - Returns: The query with its default.
  public func defaulting(to value: Value) -> DefaultedQuery<Value> {
    DefaultedQuery(self, default: value)
  }
}
