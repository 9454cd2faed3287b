/// The occasions on which a query fetches by itself.
extension Query {
  // MARK: On and off

  /// Whether the query fetches by itself; it does by default.
  ///
  /// A disabled query shows cached and written data, and its results are never stale. It is left out of every
  /// automatic refetch and, while it is observed, of bulk refetches. It fetches only on an explicit call: by
  /// `fetch`, `ensure`, `prefetch` or an observer's `refetch`, and by ``QueryClient/refetch(_:superseding:)``
  /// if nobody observes it. A fetch that is running when the query is disabled may still bring its answer.
  ///
  /// ```swift
  /// let found = Query("search", owner) { try await GitHub.search(owner, 1) }.enabled(!owner.isEmpty)
  /// ```
  ///
  /// - Parameter isEnabled: Whether the query fetches by itself.
  /// - Returns: The changed query.
  public consuming func enabled(_ isEnabled: Bool) -> Self {
    options { $0.enabled = .fixed(isEnabled) }
  }

  /// Whether the query fetches by itself, evaluated again whenever its entry changes.
  ///
  /// A change of the answer from `false` to `true` refetches stale data, whatever the policies for a new
  /// subscription are. The closure runs again only when this entry changes; for other conditions, change the
  /// observer's options.
  ///
  /// If ``QueryClient/remove(_:)-(QueryFilter)`` or ``QueryClient/clear()`` makes the closure return `true`,
  /// nothing is fetched until the next trigger: at logout, a fetch would request the old account's data.
  /// ``QueryClient/reset(_:)-(QueryFilter)`` fetches at once and waits for the fetch.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }.enabled { $0.errorUpdateCount < 3 }
  /// ```
  ///
  /// - Parameter isEnabled: Must be pure and quick; it may run several times for one decision. A
  ///   closure that changes its answer each time is reported to
  ///   ``QueryClient/Configuration/onMisuse``.
  /// - Returns: The changed query.
  @_disfavoredOverload  // See Query+Dynamic.swift.
  public consuming func enabled(when isEnabled: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    options { $0.enabled = .when(isEnabled) }
  }

  // MARK: Subscriptions

  /// Whether a new subscription refetches cached data; by default it refetches stale data.
  ///
  /// Without data, a subscription fetches whatever the policy, unless the query is disabled.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }.refetchOnSubscribe(.always)
  /// ```
  ///
  /// - Parameter policy: Whether to refetch.
  /// - Returns: The changed query.
  public consuming func refetchOnSubscribe(_ policy: RefetchPolicy) -> Self {
    options { $0.refetchOnSubscribe = policy }
  }

  /// Whether a new subscription refetches stale data.
  ///
  /// - Parameter refetches: `true` is ``RefetchPolicy/ifStale``, `false` ``RefetchPolicy/never``.
  /// - Returns: The changed query.
  @_documentation(visibility: internal)
  public consuming func refetchOnSubscribe(_ refetches: Bool) -> Self {
    options { $0.refetchOnSubscribe = refetches ? .ifStale : .never }
  }

  /// Whether a new subscription refetches after a failure without data; it does by default.
  ///
  /// With `false`, new subscriptions leave the error. Other reasons, such as a button or a reconnect, still
  /// refetch.
  ///
  /// - Parameter retries: Whether to refetch.
  /// - Returns: The changed query.
  public consuming func retryOnSubscribe(_ retries: Bool) -> Self {
    options { $0.retryOnSubscribe = .fixed(retries) }
  }

  /// Whether a new subscription refetches after a failure without data, depending on the error.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .retryOnSubscribe { !($0 is AuthError) }
  /// ```
  ///
  /// - Parameter retries: Gets the error that the entry shows. Each subscription calls the closure, which
  ///   must be pure and quick.
  /// - Returns: The changed query.
  public consuming func retryOnSubscribe(
    when retries: @escaping @Sendable (_ error: any Error) -> Bool
  ) -> Self {
    options { $0.retryOnSubscribe = .when(retries) }
  }

  // MARK: Events

  /// Whether a reconnect refetches while the query is observed; by default it refetches stale data.
  ///
  /// The client's ``Connectivity`` says when the network is back. A running fetch is joined. The
  /// default is ``RefetchPolicy/never`` if the ``networkMode(_:)`` is ``NetworkMode/always``.
  ///
  /// - Parameter policy: Whether to refetch.
  /// - Returns: The changed query.
  public consuming func refetchOnReconnect(_ policy: RefetchPolicy) -> Self {
    options { $0.refetchOnReconnect = policy }
  }

  /// Whether a reconnect refetches stale data.
  ///
  /// - Parameter refetches: `true` is ``RefetchPolicy/ifStale``, `false`
  ///   ``RefetchPolicy/never``.
  /// - Returns: The changed query.
  @_documentation(visibility: internal)
  public consuming func refetchOnReconnect(_ refetches: Bool) -> Self {
    options { $0.refetchOnReconnect = refetches ? .ifStale : .never }
  }

  /// Whether the app becoming active refetches while the query is observed; by default it refetches stale
  /// data.
  ///
  /// The client's ``AppActivity`` says when the app becomes active. A running fetch is joined.
  ///
  /// ```swift
  /// let prices = Query("prices") { try await api.price() }.refetchOnActive(.when { isVisible })
  /// ```
  ///
  /// - Parameter policy: Whether to refetch; a condition is evaluated when the app becomes active, and may
  ///   wait.
  /// - Returns: The changed query.
  public consuming func refetchOnActive(_ policy: RefetchPolicy) -> Self {
    options { $0.refetchOnActive = policy }
  }

  /// Whether the app becoming active refetches stale data.
  ///
  /// - Parameter refetches: `true` is ``RefetchPolicy/ifStale``, `false`
  ///   ``RefetchPolicy/never``.
  /// - Returns: The changed query.
  @_documentation(visibility: internal)
  public consuming func refetchOnActive(_ refetches: Bool) -> Self {
    options { $0.refetchOnActive = refetches ? .ifStale : .never }
  }

  // MARK: Polling

  /// Refetches stale or fresh data at an interval while there is an enabled observer; off by default.
  ///
  /// ``RefetchInterval`` says when the interval begins and how several observers share it. A running fetch is
  /// joined. Polling pauses while the app is inactive, unless ``refetchInterval(_:inBackground:)``
  /// says otherwise.
  ///
  /// ```swift
  /// let prices = Query("prices") { try await api.price() }
  ///   .refetchInterval(isVisible ? .seconds(5) : nil)
  /// ```
  ///
  /// - Parameter duration: The time between two fetches, at least a millisecond; `nil`, a duration
  ///   that is not positive, or one above 100 years turns polling off.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public consuming func refetchInterval(_ duration: Duration?) -> Self {
    options { $0.refetchInterval = duration.map(RefetchInterval.every) ?? .off }
  }

  /// Refetches at an interval that may depend on the entry, and may continue in the background.
  ///
  /// ```swift
  /// let job = Query("todos") { try await api.todos() }.refetchInterval(
  ///   .dynamic { $0.status == .success ? nil : .seconds(1) },
  ///   inBackground: .minutes(1)
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between two fetches, such as `.seconds(30)`; see
  ///     ``RefetchInterval/dynamic(_:)``.
  ///   - inBackground: Whether polling continues while the app is inactive, and how often; `nil`
  ///     leaves that as it is.
  /// - Returns: The changed query.
  public consuming func refetchInterval(
    _ interval: RefetchInterval,
    inBackground: BackgroundInterval? = nil
  ) -> Self {
    options {
      $0.refetchInterval = interval
      if let inBackground { $0.refetchIntervalInBackground = inBackground }
    }
  }

  // MARK: Streams

  /// Refetches with each element of a sequence, while the query is observed.
  ///
  /// Each element refetches (``FetchCause/trigger``), whether the data is stale or not; its value does not
  /// matter. An element that is not paced and arrives during a fetch joins the fetch. Each subscription
  /// iterates its own sequence for as long as the subscription lasts. A query may have several sequences.
  ///
  /// ```swift
  /// let portfolio = Query("portfolio") { try await api.price() }.refetch(on: priceTicks)
  /// ```
  ///
  /// Pace a stream whose elements come in bursts. Here, two refetches are at least a second apart, and apps
  /// that hear of the same change do not all refetch at once.
  ///
  /// ```swift
  /// let paced = Query("portfolio") { try await api.price() }
  ///   .refetch(on: priceTicks, pacing: .coalescing(.seconds(1), spreading: .seconds(2)))
  /// ```
  ///
  /// - Parameters:
  ///   - causes: Makes the sequence; evaluated for each subscription, so that single-pass streams can be
  ///     built again. After its end or failure, the sequence causes no more refetches. It is cancelled with
  ///     the subscription.
  ///   - pacing: The pace of its refetches. Within the time of ``RefetchPacing/coalescing`` after a refetch,
  ///     elements count as one, which refetches at the end of that time. Each refetch is delayed by a random
  ///     part of ``RefetchPacing/spreading``. All observers of the key share the times, so that an element
  ///     that five of them receive is one burst. A refetch that is due when nobody observes is dropped.
  /// - Returns: The changed query.
  public consuming func refetch(
    on causes: @autoclosure @escaping @Sendable () -> any AsyncSequence,
    pacing: RefetchPacing = .off
  ) -> Self {
    let source = DefinitionExtras.TriggerSource(make: causes, pacing: pacing)
    return changed { $0.changeExtras { $0.triggers.append(source) } }
  }
}
