/// Options of a query that do not depend on its value type; a `nil` option comes from the layer
/// below.
///
/// The layers, from the weakest to the strongest: the built-in defaults, the client's
/// ``QueryDefaults``, the defaults registered for prefixes of the key in the order of their
/// registration, the query itself, and the options of a single observer.
///
/// ```swift
/// client.setDefaults(QueryOptions(staleTime: .minutes(1)), for: "products")
/// ```
public struct QueryOptions: Sendable, _FreeOfActors {
  /// How long data counts as fresh; zero by default.
  public var staleTime: StaleTime?
  /// How long an entry without observers is kept; five minutes by default.
  public var gcTime: Duration?
  /// The retries of failed attempts; three by default, none for `fetch`, `ensure` and `prefetch`.
  public var retry: RetryPolicy?
  /// The behaviour of fetches while offline; ``NetworkMode/online`` by default.
  public var networkMode: NetworkMode?
  /// Whether a subscription refetches after a failure without data; it does by default.
  public var retryOnSubscribe: RetryOnSubscribePolicy?
  /// Whether the query fetches by itself; `true` by default.
  public var enabled: EnabledPolicy?
  /// Whether a subscription refetches cached data; ``RefetchPolicy/ifStale`` by default.
  public var refetchOnSubscribe: RefetchPolicy?
  /// Whether a reconnect refetches; ``RefetchPolicy/ifStale`` by default.
  public var refetchOnReconnect: RefetchPolicy?
  /// Whether becoming active refetches; ``RefetchPolicy/ifStale`` by default.
  public var refetchOnActive: RefetchPolicy?
  /// The interval of polling; off by default.
  public var refetchInterval: RefetchInterval?
  /// The interval of polling in the background; off by default.
  public var refetchIntervalInBackground: BackgroundInterval?
  /// The policy for a fetch that nobody wants; ``AbandonmentPolicy/cancel`` by default.
  public var onAbandonment: AbandonmentPolicy?
  /// Facts for the fetch, filters and events.
  public var meta: QueryMeta?
  /// The errors that are thrown to an error boundary; ``ThrowPolicy/never`` by default.
  public var throwOnError: ThrowPolicy?
  /// The way in which a fetched value keeps parts of the cached one; ``SharingPolicy/automatic`` by
  /// default.
  public var sharing: SharingPolicy?
  /// The options about callers while the server is slow or down; most queries set none.
  var serving: ServingOptions?

  /// Creates options; an omitted option comes from the layer below.
  ///
  /// - Parameters:
  ///   - staleTime: How long data counts as fresh.
  ///   - gcTime: How long an entry without observers is kept.
  ///   - retry: Retries of failed attempts.
  ///   - networkMode: The behaviour of fetches while offline.
  ///   - enabled: Whether the query fetches by itself.
  ///   - refetchOnSubscribe: Whether a subscription refetches cached data.
  ///   - refetchOnReconnect: Whether a reconnect refetches.
  ///   - refetchOnActive: Whether becoming active refetches.
  ///   - refetchInterval: The interval of polling.
  ///   - refetchIntervalInBackground: The interval of polling in the background.
  ///   - retryOnSubscribe: Whether a subscription refetches after a failure without data.
  ///   - onAbandonment: The policy for a fetch that nobody wants.
  ///   - meta: Facts for the fetch, filters and events.
  ///   - throwOnError: The errors that are thrown to an error boundary.
  ///   - sharing: The way in which a fetched value keeps parts of the cached one.
  ///   - staleIfError: How long after data became stale it is returned if its refetch fails.
  ///   - softTimeout: How long a fetch may take until its callers get stale data instead.
  ///   - timeout: How long one attempt of a fetch may take.
  ///   - cachesFailures: For how long later callers get a failure instead of a fetch.
  ///   - refreshAhead: Whether fresh data is refetched before it becomes stale.
  public init(
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    retry: RetryPolicy? = nil,
    networkMode: NetworkMode? = nil,
    enabled: EnabledPolicy? = nil,
    refetchOnSubscribe: RefetchPolicy? = nil,
    refetchOnReconnect: RefetchPolicy? = nil,
    refetchOnActive: RefetchPolicy? = nil,
    refetchInterval: RefetchInterval? = nil,
    refetchIntervalInBackground: BackgroundInterval? = nil,
    retryOnSubscribe: RetryOnSubscribePolicy? = nil,
    onAbandonment: AbandonmentPolicy? = nil,
    meta: QueryMeta? = nil,
    throwOnError: ThrowPolicy? = nil,
    sharing: SharingPolicy? = nil,
    staleIfError: Duration? = nil,
    softTimeout: Duration? = nil,
    timeout: Duration? = nil,
    cachesFailures: FailureCaching? = nil,
    refreshAhead: RefreshAhead? = nil
  ) {
    self.staleTime = staleTime
    self.gcTime = gcTime
    self.retry = retry
    self.networkMode = networkMode
    self.retryOnSubscribe = retryOnSubscribe
    self.enabled = enabled
    self.refetchOnReconnect = refetchOnReconnect
    self.refetchOnActive = refetchOnActive
    self.refetchInterval = refetchInterval
    self.refetchIntervalInBackground = refetchIntervalInBackground
    self.onAbandonment = onAbandonment
    self.meta = meta
    self.throwOnError = throwOnError
    self.sharing = sharing
    self.refetchOnSubscribe = refetchOnSubscribe
    if let staleIfError { self.staleIfError = staleIfError }
    if let softTimeout { self.softTimeout = softTimeout }
    if let timeout { self.timeout = timeout }
    if let cachesFailures { self.cachesFailures = cachesFailures }
    if let refreshAhead { self.refreshAhead = refreshAhead }
  }

  /// Creates options that leave everything to the layer below, without copying ``default``.
  @inline(__always)
  init(unset: Void) {}

  /// Leaves every option to the layer below.
  public static let `default` = QueryOptions()

  /// Returns these options; those that are `nil` come from weaker options.
  func over(_ base: QueryOptions) -> QueryOptions {
    var merged = self
    merged.staleTime = staleTime ?? base.staleTime
    merged.gcTime = gcTime ?? base.gcTime
    merged.retry = RetryPolicy.merge(retry, over: base.retry)
    merged.networkMode = networkMode ?? base.networkMode
    merged.enabled = enabled ?? base.enabled
    merged.refetchOnReconnect = refetchOnReconnect ?? base.refetchOnReconnect
    merged.refetchOnActive = refetchOnActive ?? base.refetchOnActive
    merged.refetchInterval = refetchInterval ?? base.refetchInterval
    merged.refetchIntervalInBackground =
      refetchIntervalInBackground ?? base.refetchIntervalInBackground
    merged.onAbandonment = onAbandonment ?? base.onAbandonment
    merged.meta = QueryMeta.merge(meta, over: base.meta)
    merged.throwOnError = throwOnError ?? base.throwOnError
    merged.sharing = sharing ?? base.sharing
    merged.serving = ServingOptions.merge(serving, over: base.serving)
    merged.refetchOnSubscribe = refetchOnSubscribe ?? base.refetchOnSubscribe
    merged.retryOnSubscribe = retryOnSubscribe ?? base.retryOnSubscribe
    return merged
  }
}

/// Defaults of a client: options for every query, and a fetch for queries that have none.
@dynamicMemberLookup
public struct QueryDefaults: Sendable, _FreeOfActors {
  /// Options for every query that does not set its own.
  public var options: QueryOptions

  /// The fetch of queries that have none.
  ///
  /// The closure must return a value of the query's type; any other type fails with
  /// ``QueryError/unexpectedType(key:expected:actual:)``. The client retains the closure for its
  /// whole life: use ``FetchContext/client``, because a client that the closure captures would
  /// never be freed.
  public var fetch: (@Sendable (FetchContext) async throws -> any Sendable)?

  /// The retries of `fetch`, `ensure` and `prefetch` if neither the query nor a default of
  /// ``QueryOptions/retry`` sets any; none by default.
  public var imperativeRetry: RetryPolicy

  /// Creates defaults.
  ///
  /// - Parameters:
  ///   - staleTime: How long data counts as fresh.
  ///   - gcTime: How long an entry without observers is kept.
  ///   - options: The other options; `staleTime` and `gcTime` given here win over those in `options`.
  ///   - imperativeRetry: The retries of `fetch`, `ensure` and `prefetch` if neither the query nor a default
  ///     sets any.
  ///   - fetch: The fetch of queries that have none.
  public init(
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    options: QueryOptions = .default,
    imperativeRetry: RetryPolicy = .never,
    fetch: (@Sendable (FetchContext) async throws -> any Sendable)? = nil
  ) {
    var options = options
    if let staleTime { options.staleTime = staleTime }
    if let gcTime { options.gcTime = gcTime }
    self.options = options
    self.imperativeRetry = imperativeRetry
    self.fetch = fetch
  }

  /// An option of ``options``.
  ///
  /// ```swift
  /// var defaults = QueryDefaults()
  /// defaults.timeout = .seconds(5)
  /// ```
  ///
  /// - Parameter option: The path of the option.
  public subscript<Value>(dynamicMember option: WritableKeyPath<QueryOptions, Value>) -> Value {
    get { options[keyPath: option] }
    set { options[keyPath: option] = newValue }
  }

  /// Returns these defaults; options that are `nil` come from weaker options.
  func over(_ options: QueryOptions) -> QueryDefaults {
    var defaults = self
    defaults.options = self.options.over(options)
    return defaults
  }
}
