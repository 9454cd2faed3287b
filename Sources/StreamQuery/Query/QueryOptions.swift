/// Options of a query that do not depend on its value type; what is `nil` comes from the layer below.
///
/// Layers, from the weakest: the built-in defaults, the client's ``QueryDefaults``, the defaults
/// registered for prefixes of the key in the order of their registration, the query itself, and the
/// options of a single observer.
///
/// ```swift
/// client.setDefaults(QueryOptions(staleTime: .after(.minutes(1))), for: "products")
/// ```
public struct QueryOptions: Sendable {
  /// How long data counts as fresh; zero by default.
  public var staleTime: StaleTime?
  /// How long an entry without observers is kept; five minutes by default.
  public var gcTime: Duration?
  /// Retries of failed attempts; three by default, none for imperative calls.
  public var retry: RetryPolicy?
  /// What happens while offline; ``NetworkMode/online`` by default.
  public var networkMode: NetworkMode?
  /// Whether the query fetches by itself; `true` by default.
  public var enabled: Enabled?
  /// Whether a subscription refetches cached data; ``RefetchPolicy/ifStale`` by default.
  public var refetchOnSubscribe: RefetchPolicy?
  /// Whether a reconnect refetches; ``EventRefetchPolicy/ifStale`` by default.
  public var refetchOnReconnect: EventRefetchPolicy?
  /// Whether becoming active refetches; ``EventRefetchPolicy/ifStale`` by default.
  public var refetchOnActive: EventRefetchPolicy?
  /// Polling; off by default.
  public var refetchInterval: RefetchInterval?
  /// Polling in the background; off by default.
  public var refetchIntervalInBackground: BackgroundInterval?
  /// Whether a subscription tries again what failed and has no data; `true` by default.
  public var retryOnSubscribe: Bool?
  /// What becomes of a fetch that nobody wants; ``AbandonmentPolicy/cancel`` by default.
  public var abandonment: AbandonmentPolicy?
  /// Facts for the fetch, filters and events.
  public var meta: QueryMeta?
  /// Which errors leave the stream; ``ThrowPolicy/never`` by default.
  public var throwOnError: ThrowPolicy?

  /// Creates options; what is left out comes from the layer below.
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
  ///   - retryOnSubscribe: Whether a subscription tries again what failed and has no data.
  ///   - abandonment: What becomes of a fetch that nobody wants.
  ///   - meta: Facts for the fetch, filters and events.
  ///   - throwOnError: Which errors leave the stream.
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
    throwOnError: ThrowPolicy? = nil
  ) {
    self.staleTime = staleTime
    self.gcTime = gcTime
    self.retry = retry
    self.networkMode = networkMode
    self.enabled = enabled
    self.refetchOnSubscribe = refetchOnSubscribe
    self.refetchOnReconnect = refetchOnReconnect
    self.refetchOnActive = refetchOnActive
    self.refetchInterval = refetchInterval
    self.refetchIntervalInBackground = refetchIntervalInBackground
    self.retryOnSubscribe = retryOnSubscribe
    self.abandonment = abandonment
    self.meta = meta
    self.throwOnError = throwOnError
  }

  /// Every option left to the layer below.
  public static let `default` = QueryOptions()

  /// These options over weaker ones.
  func over(_ base: QueryOptions) -> QueryOptions {
    QueryOptions(
      staleTime: staleTime ?? base.staleTime,
      gcTime: gcTime ?? base.gcTime,
      retry: retry ?? base.retry,
      networkMode: networkMode ?? base.networkMode,
      enabled: enabled ?? base.enabled,
      refetchOnSubscribe: refetchOnSubscribe ?? base.refetchOnSubscribe,
      refetchOnReconnect: refetchOnReconnect ?? base.refetchOnReconnect,
      refetchOnActive: refetchOnActive ?? base.refetchOnActive,
      refetchInterval: refetchInterval ?? base.refetchInterval,
      refetchIntervalInBackground: refetchIntervalInBackground ?? base.refetchIntervalInBackground,
      retryOnSubscribe: retryOnSubscribe ?? base.retryOnSubscribe,
      abandonment: abandonment ?? base.abandonment,
      meta: QueryMeta.merge(meta, over: base.meta),
      throwOnError: throwOnError ?? base.throwOnError
    )
  }
}

/// Whether a query fetches by itself.
public enum Enabled: Sendable, ExpressibleByBooleanLiteral {
  /// Always or never.
  case fixed(Bool)
  /// Asked anew whenever the entry changes; must be pure and quick, and may run several times.
  case when(@Sendable (QueryInfo) -> Bool)

  /// Always or never.
  ///
  /// - Parameter value: Whether the query fetches by itself.
  public init(booleanLiteral value: Bool) {
    self = .fixed(value)
  }

  /// The answer, if nobody has to be asked.
  var fixed: Bool? {
    if case .fixed(let isEnabled) = self { isEnabled } else { nil }
  }

  func resolved(_ info: () -> QueryInfo) -> Bool {
    switch self {
    case .fixed(let isEnabled): isEnabled
    case .when(let ask): ask(info())
    }
  }
}
