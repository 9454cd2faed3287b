/// What one observer asks for beyond its query; what is `nil` comes from the query.
///
/// Two streams of one key share its data and its fetches, and may yet disagree: about freshness, and so
/// about `isStale`; about polling; about whether they fetch at all. What they ask for counts while they
/// observe, and leaves with them.
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
/// The initialiser takes the forms that are written most; set a property for the others:
///
/// ```swift
/// var options = ObserverOptions()
/// options.staleTime = .static
/// options.enabled = .when { $0.errorUpdateCount < 3 }
/// options.refetchInterval = .off
/// let still = client.results(of: .user(42), options: options)
/// ```
///
/// Options of an observer in place are changed by ``QueryObserver/update(query:options:)``.
public struct ObserverOptions: Sendable, _FreeOfActors {
  /// Whether this observer fetches by itself; `nil` is as the query says.
  ///
  /// A disabled one sees what others fetch and write, its data is never stale, and its `refetch` works.
  /// It holds a fetch that runs like any other observer. Turning it on refetches stale data.
  public var enabled: Enabled?

  /// How long data counts as fresh for this observer; `nil` is as the query says.
  ///
  /// It decides whether this subscription and the events that it follows refetch, and when its
  /// `isStale` turns. An invalidation makes data stale for everybody but ``StaleTime/static`` observers.
  public var staleTime: StaleTime?

  /// How long the entry is kept if this observer leaves last, whatever others asked for; `nil` is the
  /// longest retention that the entry was asked for.
  ///
  /// Negative durations are zero, which drops the entry at once; above 100 years is for ever.
  public var gcTime: Duration?

  /// Whether this subscription refetches data that is cached; `nil` is as the query says.
  ///
  /// Without data it loads whatever the policy. It and ``refetchOnSubscribeRule`` are one option: the
  /// one that was set last holds.
  public var refetchOnSubscribe: RefetchPolicy? {
    get { if case .fixed(let policy) = subscribePolicy { policy } else { nil } }
    set { subscribePolicy = newValue.map(SubscribePolicy.fixed) }
  }

  /// The same as a function of the query's state, asked by this subscription; must be pure and quick.
  public var refetchOnSubscribeRule: (@Sendable (QueryInfo) -> RefetchPolicy)? {
    get { if case .asked(let rule) = subscribePolicy { rule } else { nil } }
    set {
      if let newValue {
        subscribePolicy = .asked(newValue)
      } else if case .asked = subscribePolicy {
        subscribePolicy = nil
      }
    }
  }

  private enum SubscribePolicy: Sendable {
    case fixed(RefetchPolicy)
    case asked(@Sendable (QueryInfo) -> RefetchPolicy)
  }

  private var subscribePolicy: SubscribePolicy?

  /// Whether the network's return refetches for this observer; `nil` is as the query says.
  public var refetchOnReconnect: EventRefetchPolicy?

  /// Whether the app's return refetches for this observer; `nil` is as the query says.
  public var refetchOnActive: EventRefetchPolicy?

  /// The rhythm in which this observer refetches; `nil` is as the query says.
  ///
  /// ``RefetchInterval/off`` turns the query's polling off for this observer.
  public var refetchInterval: RefetchInterval?

  /// Whether this observer's polling goes on while the app is inactive; `nil` is as the query says.
  public var refetchIntervalInBackground: BackgroundInterval?

  /// Whether this subscription tries again what failed and has no data; `nil` is as the query says.
  public var retryOnSubscribe: Bool?

  /// How long a running fetch outlives this observer when nobody else wants it; `nil` leaves it to the
  /// fetch's ``AbandonmentPolicy``.
  ///
  /// For views that come and go, as rows of a list do: who is back in time finds the fetch still
  /// running. Then it is cancelled. Negative durations cancel at once; above 100 years lets it end.
  public var linger: Duration?

  /// Creates options; what is left out comes from the query.
  ///
  /// - Parameters:
  ///   - enabled: Whether this observer fetches by itself.
  ///   - staleTime: How long data counts as fresh for this observer.
  ///   - gcTime: How long the entry is kept if this observer leaves last.
  ///   - refetchOnSubscribe: Whether this subscription refetches cached data.
  ///   - refetchOnReconnect: Whether the network's return refetches for this observer.
  ///   - refetchOnActive: Whether the app's return refetches for this observer.
  ///   - refetchInterval: The time between two fetches; `nil` leaves it to the query, ``RefetchInterval/off``
  ///     turns polling off for this observer.
  ///   - refetchIntervalInBackground: Whether polling goes on while the app is inactive.
  ///   - retryOnSubscribe: Whether this subscription tries again what failed and has no data.
  ///   - linger: How long a fetch outlives this observer when it leaves last.
  public init(
    enabled: Bool? = nil,
    staleTime: StaleTime? = nil,
    gcTime: Duration? = nil,
    refetchOnSubscribe: RefetchPolicy? = nil,
    refetchOnReconnect: EventRefetchPolicy? = nil,
    refetchOnActive: EventRefetchPolicy? = nil,
    refetchInterval: RefetchInterval? = nil,
    refetchIntervalInBackground: BackgroundInterval? = nil,
    retryOnSubscribe: Bool? = nil,
    linger: Duration? = nil
  ) {
    self.enabled = enabled.map(Enabled.fixed)
    self.staleTime = staleTime
    self.gcTime = gcTime
    subscribePolicy = refetchOnSubscribe.map(SubscribePolicy.fixed)
    self.refetchOnReconnect = refetchOnReconnect
    self.refetchOnActive = refetchOnActive
    self.refetchInterval = refetchInterval
    self.refetchIntervalInBackground = refetchIntervalInBackground
    self.retryOnSubscribe = retryOnSubscribe
    self.linger = linger
  }

  /// These options as a layer over a query's.
  var layer: QueryOptions {
    QueryOptions(
      staleTime: staleTime,
      enabled: enabled,
      refetchOnSubscribe: refetchOnSubscribe,
      refetchOnReconnect: refetchOnReconnect,
      refetchOnActive: refetchOnActive,
      refetchInterval: refetchInterval,
      refetchIntervalInBackground: refetchIntervalInBackground,
      retryOnSubscribe: retryOnSubscribe,
      refetchOnSubscribeRule: refetchOnSubscribeRule
    )
  }
}
