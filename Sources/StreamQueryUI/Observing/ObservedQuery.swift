public import StreamQuery

/// A query as an observable object, for views and models.
///
/// ```swift
/// @MainActor final class ProfileModel {
///   let user = ObservedQuery(.user(42), client: client)
/// }
/// ```
///
/// It shows the cached state from its start on, without a frame of a spinner before that.
///
/// **Life.** It observes from ``start(using:)`` to ``stop()``, or until it is released, even if a button has
/// begun a fetch. After a stop it still shows its result, and after a shutdown of the client until another
/// query is named. A fetch outlives it by a second, unless the query or the options have another policy, so
/// that a view that is back soon finds its request still running. When the account of the client ends, it
/// shows nothing.
///
/// **Changes.** After any number of writes while the main actor is busy, each object changes once, to the
/// newest state. All changes of a transaction of the cache show in the same job of the main actor. An object
/// has no task of its own, except while another key waits for a pause in the typing: see
/// ``update(query:options:debounce:)``.
///
/// **Tracking.** A reader is told only of changes of the properties that it has read: a view that reads
/// ``data`` is not drawn again when ``isFetching`` changes. `Equatable` data changes only if it is another
/// value.
public final class ObservedQuery<Value: Sendable>: _QueryObject<Value, Value>, _QueryObjectMembers {
  /// The data of the query, which is shown as a whole.
  @_documentation(visibility: internal)
  public typealias Stored = Value

  /// Creates nothing: an object needs a query, which may be disabled.
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
    _ query: Query<Value>?,
    client: QueryClient? = nil,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(query ?? Query(key: "none"))
  }

  /// Creates an object that observes a query from now on.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  public convenience init(
    _ query: Query<Value>,
    client: QueryClient,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = false
  ) {
    self.init(query, options: options, keepsPreviousData: keepsPreviousData)
    start(using: client)
  }

  /// Creates an object that observes nothing until ``start(using:)``.
  ///
  /// It is cheap and does not use a client, so an initialiser of a view may do it each time.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is
  ///     fetched for the first time.
  public convenience init(
    _ query: Query<Value>,
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

/// An infinite query as an observable object; see ``ObservedQuery/fetchNextPage()->_``.
public typealias ObservedInfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  ObservedQuery<Pages<Page, PageParam>>
