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
  /// Retries of failed attempts; three by default, none for imperative calls.
  public var retry: RetryPolicy?
  /// What happens while offline; ``NetworkMode/online`` by default.
  public var networkMode: NetworkMode?
  /// Whether a subscription refetches after a failure without data; `true` by default.
  public var retryOnSubscribe: Bool?
  /// Whether the query fetches by itself; `true` by default.
  public var enabled: Enabled?
  /// The policy of subscriptions; never set together with ``refetchOnSubscribeRule``.
  private var subscribePolicy: RefetchPolicy?
  /// The other options, which most queries do not set; see ``RareOptions``.
  private var rare: RareOptions?

  /// Whether a subscription refetches cached data; ``RefetchPolicy/ifStale`` by default.
  ///
  /// This and ``refetchOnSubscribeRule`` are one option: the one that was set last applies.
  public var refetchOnSubscribe: RefetchPolicy? {
    get { subscribePolicy }
    set {
      subscribePolicy = newValue
      if refetchOnSubscribeRule != nil { changeRare { $0.refetchOnSubscribeRule = nil } }
    }
  }

  /// The same as a function of the query's state, called by each subscription; must be pure and
  /// quick.
  public var refetchOnSubscribeRule: (@Sendable (QueryInfo) -> RefetchPolicy)? {
    get { rare?.values.refetchOnSubscribeRule }
    set {
      if newValue != nil { subscribePolicy = nil }
      changeRare { $0.refetchOnSubscribeRule = newValue }
    }
  }

  /// Whether a reconnect refetches; ``EventRefetchPolicy/ifStale`` by default.
  public var refetchOnReconnect: EventRefetchPolicy? {
    get { rare?.values.refetchOnReconnect }
    set { changeRare { $0.refetchOnReconnect = newValue } }
  }

  /// Whether becoming active refetches; ``EventRefetchPolicy/ifStale`` by default.
  public var refetchOnActive: EventRefetchPolicy? {
    get { rare?.values.refetchOnActive }
    set { changeRare { $0.refetchOnActive = newValue } }
  }

  /// Polling; off by default.
  public var refetchInterval: RefetchInterval? {
    get { rare?.values.refetchInterval }
    set { changeRare { $0.refetchInterval = newValue } }
  }

  /// Polling in the background; off by default.
  public var refetchIntervalInBackground: BackgroundInterval? {
    get { rare?.values.refetchIntervalInBackground }
    set { changeRare { $0.refetchIntervalInBackground = newValue } }
  }

  /// What happens to a fetch that nobody wants; ``AbandonmentPolicy/cancel`` by default.
  public var abandonment: AbandonmentPolicy? {
    get { rare?.values.abandonment }
    set { changeRare { $0.abandonment = newValue } }
  }

  /// Facts for the fetch, filters and events.
  public var meta: QueryMeta? {
    get { rare?.values.meta }
    set { changeRare { $0.meta = newValue } }
  }

  /// Which errors are thrown to an error boundary; ``ThrowPolicy/never`` by default.
  public var throwOnError: ThrowPolicy? {
    get { rare?.values.throwOnError }
    set { changeRare { $0.throwOnError = newValue } }
  }

  /// What a fetched value keeps of the cached one; ``SharingPolicy/automatic`` by default.
  public var sharing: SharingPolicy? {
    get { rare?.values.sharing }
    set { changeRare { $0.sharing = newValue } }
  }

  private mutating func changeRare(_ change: (inout RareOptions.Values) -> Void) {
    var values = rare?.values ?? RareOptions.Values()
    change(&values)
    rare = RareOptions(ifAny: values)
  }

  /// Creates options; those left out come from the layer below.
  ///
  /// - Parameters:
  ///   - staleTime: How long data counts as fresh.
  ///   - gcTime: How long an entry without observers is kept.
  ///   - retry: Retries of failed attempts.
  ///   - networkMode: What happens while offline.
  ///   - enabled: Whether the query fetches by itself.
  ///   - refetchOnSubscribe: Whether a subscription refetches cached data.
  ///   - refetchOnReconnect: Whether a reconnect refetches.
  ///   - refetchOnActive: Whether becoming active refetches.
  ///   - refetchInterval: Polling.
  ///   - refetchIntervalInBackground: Polling in the background.
  ///   - retryOnSubscribe: Whether a subscription refetches after a failure without data.
  ///   - abandonment: What happens to a fetch that nobody wants.
  ///   - meta: Facts for the fetch, filters and events.
  ///   - throwOnError: Which errors are thrown to an error boundary.
  ///   - sharing: What a fetched value keeps of the cached one.
  ///   - refetchOnSubscribeRule: The policy of subscriptions as a function, instead of a fixed one.
  public init(
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    retry: RetryPolicy? = nil,
    networkMode: NetworkMode? = nil,
    enabled: Enabled? = nil,
    refetchOnSubscribe: RefetchPolicy? = nil,
    refetchOnReconnect: EventRefetchPolicy? = nil,
    refetchOnActive: EventRefetchPolicy? = nil,
    refetchInterval: RefetchInterval? = nil,
    refetchIntervalInBackground: BackgroundInterval? = nil,
    retryOnSubscribe: Bool? = nil,
    abandonment: AbandonmentPolicy? = nil,
    meta: QueryMeta? = nil,
    throwOnError: ThrowPolicy? = nil,
    sharing: SharingPolicy? = nil,
    refetchOnSubscribeRule: (@Sendable (QueryInfo) -> RefetchPolicy)? = nil
  ) {
    self.staleTime = staleTime
    self.gcTime = gcTime
    self.retry = retry
    self.networkMode = networkMode
    subscribePolicy = refetchOnSubscribeRule == nil ? refetchOnSubscribe : nil
    self.retryOnSubscribe = retryOnSubscribe
    self.enabled = enabled
    rare = RareOptions(
      ifAny: RareOptions.Values(
        refetchOnSubscribeRule: refetchOnSubscribeRule,
        refetchOnReconnect: refetchOnReconnect,
        refetchOnActive: refetchOnActive,
        refetchInterval: refetchInterval,
        refetchIntervalInBackground: refetchIntervalInBackground,
        abandonment: abandonment,
        meta: meta,
        throwOnError: throwOnError,
        sharing: sharing
      )
    )
  }

  /// Every option left to the layer below.
  public static let `default` = QueryOptions()

  /// These options over weaker ones.
  func over(_ base: QueryOptions) -> QueryOptions {
    var merged = self
    merged.staleTime = staleTime ?? base.staleTime
    merged.gcTime = gcTime ?? base.gcTime
    merged.retry = RetryPolicy.merge(retry, over: base.retry)
    merged.networkMode = networkMode ?? base.networkMode
    merged.retryOnSubscribe = retryOnSubscribe ?? base.retryOnSubscribe
    merged.enabled = enabled ?? base.enabled
    if let weaker = base.rare { merged.rare = rare?.over(weaker) ?? weaker }
    // Two spellings of one option: a layer that sets either decides.
    if subscribePolicy != nil {
      merged.refetchOnSubscribe = subscribePolicy
    } else if refetchOnSubscribeRule == nil {
      merged.subscribePolicy = base.subscribePolicy
    }
    return merged
  }
}
