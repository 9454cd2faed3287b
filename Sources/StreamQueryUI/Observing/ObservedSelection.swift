public import StreamQuery
internal import StreamQueryOperators

/// A selection of a query's data as an observable object, otherwise like an ``ObservedQuery``.
///
/// ```swift
/// let names = ObservedSelection(.users, client: client) { $0.map(\.name) }
/// show(names.data, names.isFetching)
/// ```
///
/// For an `Equatable` selection, readers are told of new data only if the selection has another value.
public final class ObservedSelection<Stored: Sendable, Value: Sendable>:
  _QueryObject<Stored, Value>, _QueryObjectMembers
{
  /// Creates an object that observes a selection of a query from now on.
  ///
  /// ```swift
  /// let names = ObservedSelection(.users, client: client) { $0.map(\.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is fetched for
  ///     the first time.
  ///   - select: Makes the selection; runs once for each new data of the query. If the closure throws, the
  ///     result has the error.
  public convenience init(
    _ query: Query<Stored>,
    client: QueryClient,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    select: @escaping @Sendable (Stored) throws -> Value
  ) {
    self.init(
      query,
      options: options,
      keepsPreviousData: keepsPreviousData,
      select: select
    )
    start(using: client)
  }

  /// Creates an object that observes nothing until ``start(using:)``.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is fetched for
  ///     the first time.
  ///   - select: Makes the selection; runs once for each new data of the query. If the closure throws, the
  ///     result has the error.
  public convenience init(
    _ query: Query<Stored>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false,
    select: @escaping @Sendable (Stored) throws -> Value
  ) {
    self.init(
      query,
      options: options,
      machine: ResultMachine(
        _SelectStep(transform: select),
        keepsPreviousData: keepsPreviousData
      )
    )
  }
}
