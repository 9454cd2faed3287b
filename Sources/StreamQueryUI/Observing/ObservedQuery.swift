public import StreamQuery
internal import StreamQueryOperators

/// A query as an observable object, for views and models.
///
/// ```swift
/// @MainActor final class ProfileModel {
///   let user = ObservedQuery(.user(42), client: client)
/// }
/// ```
///
/// It shows the cached state from its start on, without a frame of a spinner before it. Each
/// property is tracked by itself: a view that reads ``ObservedSelection/data`` is not drawn again
/// when ``ObservedSelection/isFetching`` changes. See ``ObservedSelection`` for everything else.
public typealias ObservedQuery<Value: Sendable> = ObservedSelection<Value, Value>

/// An infinite query as an observable object; see ``ObservedSelection/fetchNextPage()->_``.
public typealias ObservedInfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  ObservedQuery<Pages<Page, PageParam>>

extension ObservedSelection where Stored == Selected {
  /// Creates nothing: an object has a query, which may be disabled.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client.
  ///   - options: Options for this observer only.
  ///   - keepsPreviousData: Whether data stays while another query loads.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *,
    unavailable,
    message: "unwrap the query, or observe one with .enabled(false) until the input is known"
  )
  public convenience init(
    _ query: Query<Stored>?,
    client: QueryClient? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(query ?? Query(key: "none"))
  }

  /// Creates an object that observes a query from now on.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - client: The client.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  public convenience init(
    _ query: Query<Stored>,
    client: QueryClient,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(query, options: options, keepsPreviousData: keepsPreviousData)
    start(using: client)
  }

  /// Creates an object that observes nothing until ``start(using:)``.
  ///
  /// Making one is cheap and touches no client: an initialiser of a view may do it every time.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  public convenience init(
    _ query: Query<Stored>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(
      query,
      options: options,
      machine: ResultMachine(keepsPreviousData: keepsPreviousData)
    )
  }
}

extension ObservedSelection {
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
    select: @escaping @Sendable (Stored) throws -> Selected
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
    select: @escaping @Sendable (Stored) throws -> Selected
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
