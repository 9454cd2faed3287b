/// What one observer asks for beyond its query; what is `nil` comes from the query.
///
/// Freshness belongs to the observer: two streams of one key may disagree about `isStale`.
public struct ObserverOptions: Sendable {
  /// Whether this observer fetches by itself.
  public var enabled: Enabled?
  /// How long data counts as fresh for this observer.
  public var staleTime: StaleTime?
  /// How long the entry is kept if this observer leaves last, whatever others asked for.
  public var gcTime: Duration?
  /// Whether this subscription refetches cached data.
  public var refetchOnSubscribe: RefetchPolicy?
  /// Whether a reconnect refetches for this observer.
  public var refetchOnReconnect: EventRefetchPolicy?
  /// Whether becoming active refetches for this observer.
  public var refetchOnActive: EventRefetchPolicy?
  /// Polling for this observer.
  public var refetchInterval: RefetchInterval?
  /// Polling in the background for this observer.
  public var refetchIntervalInBackground: BackgroundInterval?
  /// Whether this subscription tries again what failed and has no data.
  public var retryOnSubscribe: Bool?
  /// How long a fetch outlives this observer when it leaves last: for views that come and go.
  public var linger: Duration?

  /// Creates options; what is left out comes from the query.
  ///
  /// - Parameters:
  ///   - enabled: Whether this observer fetches by itself.
  ///   - staleTime: How long data counts as fresh for this observer.
  ///   - gcTime: How long the entry is kept if this observer leaves last.
  ///   - refetchOnSubscribe: Whether this subscription refetches cached data.
  ///   - refetchOnReconnect: Whether a reconnect refetches for this observer.
  ///   - refetchOnActive: Whether becoming active refetches for this observer.
  ///   - refetchInterval: The time between two fetches; `nil` leaves it to the query.
  ///   - refetchIntervalInBackground: Whether polling goes on in the background.
  ///   - retryOnSubscribe: Whether this subscription tries again what failed and has no data.
  ///   - linger: How long a fetch outlives this observer when it leaves last.
  public init(
    enabled: Bool? = nil,
    staleTime: Duration? = nil,
    gcTime: Duration? = nil,
    refetchOnSubscribe: RefetchPolicy? = nil,
    refetchOnReconnect: EventRefetchPolicy? = nil,
    refetchOnActive: EventRefetchPolicy? = nil,
    refetchInterval: Duration? = nil,
    refetchIntervalInBackground: BackgroundInterval? = nil,
    retryOnSubscribe: Bool? = nil,
    linger: Duration? = nil
  ) {
    self.enabled = enabled.map(Enabled.fixed)
    self.staleTime = staleTime.map(StaleTime.after)
    self.gcTime = gcTime
    self.refetchOnSubscribe = refetchOnSubscribe
    self.refetchOnReconnect = refetchOnReconnect
    self.refetchOnActive = refetchOnActive
    self.refetchInterval = refetchInterval.map(RefetchInterval.every)
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
      retryOnSubscribe: retryOnSubscribe
    )
  }
}
