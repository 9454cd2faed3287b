public import StreamQuery

/// A query as an observable object, for views and models.
///
/// ```swift
/// @MainActor final class ProfileModel {
///   let user = ObservedQuery(.user(42), client: client)
/// }
/// ```
///
/// The object shows the cached state from its start on, without a spinner in the first frame.
///
/// **Life.** The object observes from ``start(using:)`` to ``stop()``, or until it is released. A fetch that
/// a button has begun does not retain the object. After a stop, the last result stays. It also stays after a
/// shutdown of the client, until another query is named. A fetch outlives the object by a second, unless the
/// query or the options have another policy, so that a view that is back soon finds its request still
/// running. When the account of the client ends, the object shows nothing.
///
/// **Changes.** After any number of writes while the main actor is busy, each object changes once, to the
/// newest state. All changes of a transaction of the cache show in the same job of the main actor. An object
/// has no task of its own, except while another key waits for a pause in the typing: see
/// ``update(query:options:debounce:)``.
///
/// **Tracking.** A reader is told only of changes of the properties that it has read: a view that reads
/// ``data`` is not drawn again when ``isFetching`` changes. `Equatable` data counts as changed only if its
/// value differs.
public final class ObservedQuery<Value: Sendable>: _QueryObject<Value, Value>, _QueryObjectMembers {
  /// The type of the query's data; the data is shown as it is.
  @_documentation(visibility: internal)
  public typealias Stored = Value

  /// Not available: exists only so that the compiler's message says that a query is needed.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The client.
  ///   - options: Options for this observer only.
  ///   - keepsPreviousData: Whether data stays while another query is fetched for the first time.
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
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
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
  /// The call is cheap and needs no client, so the initialiser of a view may make it each time.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the data of the former key is shown while another key is fetched for the
  ///     first time.
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
