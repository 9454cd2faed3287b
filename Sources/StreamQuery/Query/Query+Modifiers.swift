#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Options as modifiers: each returns a changed copy, the last of a kind wins.
///
/// What a query does not set comes from the defaults of its key's prefixes, then from those of the
/// client, then from the library; a single observer may overrule it by ``ObserverOptions``. A modifier
/// changes a value and nothing else: a fetch that runs keeps the options that it was started with.
extension Query {
  // MARK: Bags

  /// The options that were set on this query; `nil` in it is left to the layers below.
  public var options: QueryOptions { plan.options }

  /// The same query with some options changed.
  ///
  /// For options that are worked out, and to take one back by setting it to `nil`.
  ///
  /// ```swift
  /// let query = Query.user(42).options { $0.gcTime = $0.gcTime.map { $0 * 2 } }
  /// ```
  ///
  /// - Parameter change: Changes the options that are set so far.
  /// - Returns: The changed query.
  public func options(_ change: (inout QueryOptions) -> Void) -> Self {
    Query(key: key, plan: QueryPlan(plan, changing: change))
  }

  /// The same query with the set options of a bag; what the bag leaves out stays.
  ///
  /// For options that several queries share.
  ///
  /// ```swift
  /// let live = QueryOptions(staleTime: .after(.zero), refetchInterval: .every(.seconds(5)))
  /// let rates = Query("rates") { try await api.rates() }.options(live)
  /// ```
  ///
  /// - Parameter options: The options.
  /// - Returns: The changed query.
  public func options(_ options: QueryOptions) -> Self {
    Query(key: key, plan: plan.with(options: options.over(plan.options)))
  }

  // MARK: Freshness and retention

  /// How long data counts as fresh, from when it was fetched or written; zero by default.
  ///
  /// Fresh data is shown and returned without a request. Stale data is shown too, and refetched when
  /// something asks: a subscription, a reconnect, the app becoming active, a `fetch`. Data is stale as
  /// soon as its age *equals* the stale time, so that zero is stale at once. An invalidation makes it
  /// stale whatever its age.
  ///
  /// ```swift
  /// let freshness = Duration.seconds(90)
  /// let user = Query("user", id) { try await api.user(id) }.staleTime(freshness)
  /// ```
  ///
  /// - Parameter duration: How long; a negative one is zero, one above 100 years infinite.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public func staleTime(_ duration: Duration) -> Self {
    options { $0.staleTime = .after(duration) }
  }

  /// How long data counts as fresh: for a time, for ever, whatever happens, or by a rule.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }.staleTime(.minutes(5))
  /// let countries = Query("countries") { try await api.countries() }.staleTime(.infinite)
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.dynamic { $0.observerCount > 10 ? .minutes(1) : .zero })
  /// ```
  ///
  /// - Parameter staleTime: See ``StaleTime/infinite``, ``StaleTime/static``, ``StaleTime/dynamic(_:)``.
  /// - Returns: The changed query.
  public func staleTime(_ staleTime: StaleTime) -> Self {
    options { $0.staleTime = staleTime }
  }

  /// How long the entry is kept once nobody observes it or waits for it; five minutes by default.
  ///
  /// Going back to a screen within that time shows its data at once. Of several durations that were
  /// asked for since the entry was made, the longest holds, except that an observer's own
  /// ``ObserverOptions/gcTime`` rules when that observer leaves last. A fetch in flight keeps its entry.
  ///
  /// ```swift
  /// let draft = Query("user", id) { try await api.user(id) }.gcTime(.hours(1))
  /// ```
  ///
  /// - Parameter duration: How long. Zero and less drops the entry as soon as nobody wants it; above
  ///   100 years keeps it until it is removed.
  /// - Returns: The changed query.
  public func gcTime(_ duration: Duration) -> Self {
    options { $0.gcTime = duration }
  }

  // MARK: Failures

  /// How often and when a failed attempt is tried again; three times by default.
  ///
  /// Each failed attempt shows in ``QueryResult/failureCount`` and ``QueryResult/failureReason``; only
  /// the last one becomes the result's error. Retries wait while the app is inactive, unless an observer
  /// polls in the background, and while the network is gone unless the ``networkMode(_:)`` is
  /// ``NetworkMode/always``. What is set here also holds for `fetch`, `ensure` and `prefetch`, which do
  /// not retry by default. A cancelled attempt is never retried. A policy may leave how long to wait, or how
  /// often to retry, to a modifier before this one, or to the defaults: see ``RetryPolicy``.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .retry(.while { failures, error in failures < 2 && !(error is AuthError) })
  /// ```
  ///
  /// - Parameter policy: How often and when.
  /// - Returns: The changed query.
  public func retry(_ policy: RetryPolicy) -> Self {
    options { $0.retry = policy.over($0.retry) }
  }

  /// How often a failed attempt is tried again, after 1, 2, 4 and so on up to 30 seconds unless defaults of
  /// the key or the client say how long to wait.
  ///
  /// - Parameter count: How many attempts there are after the first one; negative ones mean none.
  /// - Returns: The changed query.
  public func retry(_ count: Int) -> Self {
    options { $0.retry = RetryPolicy.times(count).over($0.retry) }
  }

  /// How often a failed attempt is tried again, and after which wait.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }.retry(5) { .milliseconds(100 * (1 << $0)) }
  /// ```
  ///
  /// - Parameters:
  ///   - count: How many attempts there are after the first one; negative ones mean none.
  ///   - delay: The wait before each, from the number of failures before this one: 0 at the first. A
  ///     negative wait is none; after one above 100 years there is no retry.
  /// - Returns: The changed query.
  public func retry(_ count: Int, delay: @escaping @Sendable (Int) -> Duration) -> Self {
    options { $0.retry = .times(count).backoff(.custom { failures, _ in delay(failures) }) }
  }

  /// Which errors leave the stream for a boundary, instead of staying in the results; none by default.
  ///
  /// The core keeps the policy; `client.throwingResults(of:)` of StreamQueryOperators and UI adapters
  /// act on it. Streams of the core never fail.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .throwOnError(.when { $0 is AuthError })
  /// ```
  ///
  /// - Parameter policy: Which errors.
  /// - Returns: The changed query.
  public func throwOnError(_ policy: ThrowPolicy) -> Self {
    options { $0.throwOnError = policy }
  }

  /// Whether all errors leave the stream for a boundary, or none.
  ///
  /// - Parameter isThrown: Whether they do.
  /// - Returns: The changed query.
  public func throwOnError(_ isThrown: Bool) -> Self {
    options { $0.throwOnError = isThrown ? .always : .never }
  }

  // MARK: Network and cancellation

  /// What a fetch does while the network cannot be reached; ``NetworkMode/online`` by default.
  ///
  /// A fetch that waits for the network shows as ``QueryResult/isPaused`` and goes on when it is back;
  /// it does not fail. With ``NetworkMode/always`` the network plays no part, and a reconnect refetches
  /// only if ``refetchOnReconnect(_:)-(EventRefetchPolicy)`` is set.
  ///
  /// ```swift
  /// let local = Query("user", id) { try await api.user(id) }.networkMode(.offlineFirst)
  /// ```
  ///
  /// - Parameter mode: The mode.
  /// - Returns: The changed query.
  public func networkMode(_ mode: NetworkMode) -> Self {
    options { $0.networkMode = mode }
  }

  /// What becomes of a running fetch that nobody wants any more; it is cancelled by default.
  ///
  /// A fetch is wanted by every stream of its key, enabled or not, by every caller that waits for it,
  /// and by the client for background work. The policy that the fetch was started with decides.
  ///
  /// ```swift
  /// let report = Query("rates") { try await api.rates() }.onAbandonment(.finish)
  /// let row = Query("user", id) { try await api.user(id) }.onAbandonment(.linger(.seconds(2)))
  /// ```
  ///
  /// - Parameter policy: What becomes of it.
  /// - Returns: The changed query.
  public func onAbandonment(_ policy: AbandonmentPolicy) -> Self {
    options { $0.abandonment = policy }
  }

  // MARK: Data

  /// A stand-in that is shown while there is neither data nor an error, and is never cached.
  ///
  /// The result is a success with ``QueryResult/isPlaceholderData``, for every observer of this query.
  /// It gives way to data and to an error. The `placeholder` operator does the same for one stream, and
  /// can make the stand-in of the data before.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }.placeholder(.ada)
  /// ```
  ///
  /// - Parameter value: The stand-in.
  /// - Returns: The changed query.
  public func placeholder(_ value: Value) -> Self {
    Query(key: key, plan: plan.with { $0.placeholder = TypedBox(value) })
  }

  /// Real data for an entry that has none: cached, shared, and as old as its date says.
  ///
  /// It is taken when the query is first observed or fetched, and again when the entry is reset; where
  /// there is data already, it is not asked for. Data that is stale by its date is shown and refetched.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .initialData(client.data(for: .users)?.first { $0.id == id })
  ///   .staleTime(.minutes(1))
  /// ```
  ///
  /// - Parameters:
  ///   - value: Asked outside the cache's lock, once per entry without data; `nil` seeds nothing.
  ///   - updatedAt: When the value was good; `nil` is now, and a date in the future counts as now.
  /// - Returns: The changed query.
  public func initialData(
    _ value: @autoclosure @escaping @Sendable () -> Value?,
    updatedAt: Date? = nil
  ) -> Self {
    let seed = PlanExtras.InitialData(
      value: { value().map(TypedBox.init) },
      updatedAt: updatedAt?.timeIntervalSinceReferenceDate
    )
    return Query(key: key, plan: plan.with { $0.initialData = seed })
  }

  /// Joins a fetched value with the cached one before it lands, to keep what did not change.
  ///
  /// Takes the place of ``SharingPolicy/automatic``, which does so by equality. The closure runs outside the cache's lock; if the
  /// cached value changes meanwhile, it is asked again.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .merge { old, new in old.name == new.name ? old : new }
  /// ```
  ///
  /// - Parameter merge: Gets the cached and the fetched value; must be pure, and may run several
  ///   times for one fetch.
  /// - Returns: The changed query.
  public func merge(_ merge: @escaping @Sendable (_ old: Value, _ new: Value) -> Value) -> Self {
    let erased: @Sendable (ValueBox, ValueBox) -> ValueBox = { old, new in
      TypedBox(merge(old.value(as: Value.self), new.value(as: Value.self)))
    }
    return Query(key: key, plan: plan.with { $0.merge = erased })
  }

  /// A fact about the query, for its fetch, for filters and for diagnostics.
  ///
  /// The fetch reads it from ``FetchContext/meta``, others from ``QueryInfo/meta``. It is no part of the
  /// key: what the answer depends on belongs there.
  ///
  /// ```swift
  /// enum Label: QueryMetaKey { static let defaultValue = "" }
  /// let user = Query("user", id) { try await api.user(id) }.meta(Label.self, "profile")
  /// ```
  ///
  /// - Parameters:
  ///   - key: Names the fact and its type.
  ///   - value: The fact.
  /// - Returns: The changed query.
  public func meta<Key: QueryMetaKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
    options {
      var meta = $0.meta ?? QueryMeta()
      meta[key] = value
      $0.meta = meta
    }
  }
}
