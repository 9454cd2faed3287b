/// Options of one observer, over those of its query; a `nil` option comes from the query.
///
/// Two streams of one key share its data and its fetches. Their options may differ: in the stale time (and so
/// in `isStale`), in polling, and in whether they fetch at all. The options of a stream apply only while it
/// observes.
///
/// ```swift
/// let options = ObserverOptions(
///   enabled: isVisible,
///   staleTime: .seconds(30),
///   refetchInterval: .seconds(10)
/// )
/// let visible = client.stream(.user(42), options: options)
/// ```
///
/// The initialiser takes the most common forms; set a property for the others:
///
/// ```swift
/// var options = ObserverOptions()
/// options.staleTime = .static
/// options.enabled = .when { $0.errorUpdateCount < 3 }
/// options.refetchInterval = .off
/// let still = client.results(of: .user(42), options: options)
/// ```
///
/// To change the options of an existing observer, call ``QueryObserver/update(query:options:)``.
public struct ObserverOptions: Sendable, _FreeOfActors {
  /// The options that win over those of the query.
  private(set) var options = QueryOptions()

  /// Whether this observer fetches by itself; `nil` follows the query.
  ///
  /// A disabled observer sees the data that others fetch and write. Its data is never stale, and
  /// its `refetch` works. It keeps a running fetch alive like any other observer. Enabling it
  /// refetches stale data.
  public var enabled: EnabledPolicy? {
    get { options.enabled }
    set { options.enabled = newValue }
  }

  /// How long data counts as fresh for this observer; `nil` follows the query.
  ///
  /// The stale time decides whether this subscription and later events refetch for this observer, and when
  /// its `isStale` changes. An invalidation makes data stale for all observers except ``StaleTime/static``
  /// ones.
  public var staleTime: StaleTime? {
    get { options.staleTime }
    set { options.staleTime = newValue }
  }

  /// How long the entry is kept if this observer leaves last, whatever others requested; `nil` keeps it for
  /// the longest time that was requested for the entry.
  ///
  /// A negative duration is zero, which drops the entry at once; more than 100 years is for ever.
  public var gcTime: Duration?

  /// Whether this subscription refetches cached data; `nil` follows the query.
  ///
  /// Without data, the subscription fetches whatever the policy.
  public var refetchOnSubscribe: RefetchPolicy? {
    get { options.refetchOnSubscribe }
    set { options.refetchOnSubscribe = newValue }
  }

  /// Whether a reconnect refetches for this observer; `nil` follows the query.
  public var refetchOnReconnect: RefetchPolicy? {
    get { options.refetchOnReconnect }
    set { options.refetchOnReconnect = newValue }
  }

  /// Whether becoming active refetches for this observer; `nil` follows the query.
  public var refetchOnActive: RefetchPolicy? {
    get { options.refetchOnActive }
    set { options.refetchOnActive = newValue }
  }

  /// The interval at which this observer refetches; `nil` follows the query.
  ///
  /// ``RefetchInterval/off`` turns the query's polling off for this observer.
  public var refetchInterval: RefetchInterval? {
    get { options.refetchInterval }
    set { options.refetchInterval = newValue }
  }

  /// Whether this observer's polling continues while the app is inactive; `nil` follows the query.
  public var refetchIntervalInBackground: BackgroundInterval? {
    get { options.refetchIntervalInBackground }
    set { options.refetchIntervalInBackground = newValue }
  }

  /// Whether this subscription refetches after a failure without data; `nil` follows the query.
  public var retryOnSubscribe: RetryOnSubscribePolicy? {
    get { options.retryOnSubscribe }
    set { options.retryOnSubscribe = newValue }
  }

  /// How long a running fetch outlives this observer when nobody else wants it; `nil` leaves it to the
  /// fetch's ``AbandonmentPolicy``.
  ///
  /// Use it for views that come and go, such as the rows of a list: a view that comes back before this
  /// duration is over finds the fetch still running. When the duration is over, the fetch is cancelled. A
  /// negative duration cancels the fetch at once; more than 100 years lets the fetch finish.
  public var linger: Duration?

  /// Creates options; an omitted option comes from the query.
  ///
  /// - Parameters:
  ///   - enabled: Whether this observer fetches by itself.
  ///   - staleTime: How long data counts as fresh for this observer.
  ///   - gcTime: How long the entry is kept if this observer leaves last.
  ///   - refetchOnSubscribe: Whether this subscription refetches cached data.
  ///   - refetchOnReconnect: Whether a reconnect refetches for this observer.
  ///   - refetchOnActive: Whether becoming active refetches for this observer.
  ///   - refetchInterval: The time between two fetches; `nil` leaves it to the query, ``RefetchInterval/off``
  ///     turns polling off for this observer.
  ///   - refetchIntervalInBackground: Whether polling continues while the app is inactive.
  ///   - retryOnSubscribe: Whether this subscription refetches after a failure without data.
  ///   - linger: How long a fetch outlives this observer when it leaves last.
  public init(
    enabled: Bool? = nil,
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    refetchOnSubscribe: RefetchPolicy? = nil,
    refetchOnReconnect: RefetchPolicy? = nil,
    refetchOnActive: RefetchPolicy? = nil,
    refetchInterval: RefetchInterval? = nil,
    refetchIntervalInBackground: BackgroundInterval? = nil,
    retryOnSubscribe: RetryOnSubscribePolicy? = nil,
    linger: Duration? = nil
  ) {
    self.enabled = enabled.map(EnabledPolicy.fixed)
    self.staleTime = staleTime
    self.gcTime = gcTime
    self.refetchOnSubscribe = refetchOnSubscribe
    self.refetchOnReconnect = refetchOnReconnect
    self.refetchOnActive = refetchOnActive
    self.refetchInterval = refetchInterval
    self.refetchIntervalInBackground = refetchIntervalInBackground
    self.retryOnSubscribe = retryOnSubscribe
    self.linger = linger
  }
}

/// Whether a subscription refetches after a failure without data.
public enum RetryOnSubscribePolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  /// Always or never.
  case fixed(Bool)
  /// A closure, called with the error that the entry shows; must be pure and quick.
  case when(@Sendable (any Error) -> Bool)

  /// Always or never.
  ///
  /// - Parameter value: Whether a subscription refetches.
  public init(booleanLiteral value: Bool) {
    self = .fixed(value)
  }

  /// The choice; `nil` if a closure makes it.
  var fixed: Bool? {
    if case .fixed(let retries) = self { retries } else { nil }
  }

  var rule: (@Sendable (any Error) -> Bool)? {
    if case .when(let rule) = self { rule } else { nil }
  }
}

/// Whether a query fetches by itself.
public enum EnabledPolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  /// Always or never.
  case fixed(Bool)
  /// A closure, called whenever the entry changes; must be pure and quick, and may run several
  /// times.
  case when(@Sendable (QueryInfo) -> Bool)

  /// Always or never.
  ///
  /// - Parameter value: Whether the query fetches by itself.
  public init(booleanLiteral value: Bool) {
    self = .fixed(value)
  }

  /// The choice; `nil` if a closure makes it.
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
