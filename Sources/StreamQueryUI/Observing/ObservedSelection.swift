public import StreamQuery
internal import StreamQueryOperators

/// A selection of a query's data as an observable object; in everything else it is an ``ObservedQuery``.
///
/// ```swift
/// let names = ObservedSelection(.users, client: client) { $0.map(\.name) }
/// show(names.data, names.isFetching)
/// ```
///
/// Its readers are told of other data only when the selection is another value, if that is `Equatable`.
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
  ///   - query: What to observe.
  ///   - client: The client.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - select: Makes the selection. Runs once for each data that is stored; what it throws is
  ///     shown as the error.
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
  ///   - query: What to observe.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the selection of the former key is shown while another key is
  ///     fetched for the first time.
  ///   - select: Makes the selection. Runs once for each data that is stored; what it throws is
  ///     shown as the error.
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
