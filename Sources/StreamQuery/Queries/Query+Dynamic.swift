/// Options as functions of the query's present state: of its data, or of all facts about it.
///
/// The way in which a closure uses its argument decides if it takes the data or a ``QueryInfo``. A closure
/// that suits both takes the data: `{ $0 == nil }` tests whether there is data, not whether there
/// is an info. That is why the forms that take a ``QueryInfo`` are disfavored.
///
/// The closures must be pure and quick; they run outside the cache's lock, and may run several
/// times for one decision.
extension Query {
  // MARK: By the data

  /// Whether the query fetches by itself, depending on its data; evaluated whenever its entry
  /// changes.
  ///
  /// Otherwise this is the same as ``enabled(_:)``. A closure may also take a ``QueryInfo``.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }.enabled { (user: User?) in user == nil }
  /// ```
  ///
  /// - Parameter isEnabled: Gets the data as it is shown, including optimistic changes; `nil` if there is no
  ///   data.
  /// - Returns: The changed query.
  public consuming func enabled(
    when isEnabled: @escaping @Sendable (_ data: Value?) -> Bool
  ) -> Self {
    options { $0.enabled = .when { info in isEnabled(info.value(as: Value.self)) } }
  }

  /// How long data counts as fresh, depending on the data; evaluated whenever the entry changes.
  ///
  /// ```swift
  /// let orders = Query("todos") { try await api.todos() }
  ///   .staleTime { data in data?.isEmpty == false ? .minutes(5) : .zero }
  /// ```
  ///
  /// - Parameter staleTime: Gets the data as it is shown, including optimistic changes; `nil` if there is no
  ///   data.
  /// - Returns: The changed query.
  public consuming func staleTime(
    _ staleTime: @escaping @Sendable (_ data: Value?) -> StaleTime
  ) -> Self {
    options { $0.staleTime = .dynamic { info in staleTime(info.value(as: Value.self)) } }
  }

  /// Refetches at an interval that depends on the data, for example until a job is done.
  ///
  /// ```swift
  /// let job = Query("todos") { try await api.todos() }
  ///   .refetchInterval { data in data?.isEmpty == true ? nil : .seconds(1) }
  /// ```
  ///
  /// - Parameters:
  ///   - inBackground: Whether polling continues while the app is inactive, and how often; `nil`
  ///     leaves that as it is.
  ///   - interval: Gets the data as it is shown, including optimistic changes; `nil` if there is no data.
  ///     Returns the time between two fetches, or `nil` for none; evaluated whenever the entry changes.
  /// - Returns: The changed query.
  public consuming func refetchInterval(
    inBackground: BackgroundInterval? = nil,
    _ interval: @escaping @Sendable (_ data: Value?) -> Duration?
  ) -> Self {
    refetchInterval(
      .dynamic { info in interval(info.value(as: Value.self)) },
      inBackground: inBackground
    )
  }

  // MARK: By the state of the entry

  /// How long data counts as fresh, by a rule that is evaluated whenever the entry changes.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime { $0.observerCount > 10 ? .minutes(1) : .zero }
  /// ```
  ///
  /// - Parameter staleTime: Returns the stale time for the present state.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public consuming func staleTime(_ staleTime: @escaping @Sendable (QueryInfo) -> StaleTime) -> Self
  {
    options { $0.staleTime = .dynamic(staleTime) }
  }

  /// Refetches at an interval that is evaluated whenever the entry changes.
  ///
  /// ```swift
  /// let job = Query("todos") { try await api.todos() }
  ///   .refetchInterval(inBackground: .minutes(1)) { $0.status == .error ? nil : .seconds(1) }
  /// ```
  ///
  /// - Parameters:
  ///   - inBackground: Whether polling continues while the app is inactive, and how often; `nil`
  ///     leaves that as it is.
  ///   - interval: Returns the time between two fetches in the present state, or `nil` for none.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public consuming func refetchInterval(
    inBackground: BackgroundInterval? = nil,
    _ interval: @escaping @Sendable (QueryInfo) -> Duration?
  ) -> Self {
    refetchInterval(.dynamic(interval), inBackground: inBackground)
  }

  /// Whether a new subscription refetches cached data, evaluated by each subscription.
  ///
  /// The closure gets the entry as it was before the subscription. Without data, a subscription
  /// fetches in any case. A change of the options or the key of an existing observer does not call
  /// the closure.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }
  ///   .refetchOnSubscribe { $0.errorUpdateCount > 3 ? .never : .always }
  /// ```
  ///
  /// - Parameter policy: Returns the policy for this subscription.
  /// - Returns: The changed query.
  public consuming func refetchOnSubscribe(
    _ policy: @escaping @Sendable (QueryInfo) -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnSubscribe = .dynamic(policy) }
  }

  /// Whether a reconnect refetches while the query is observed, evaluated at each reconnect.
  ///
  /// - Parameter policy: Returns the policy for this event, and may wait. A closure that is written on an
  ///   actor runs on that actor.
  /// - Returns: The changed query.
  public consuming func refetchOnReconnect(
    @_inheritActorContext _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnReconnect = .dynamic(policy) }
  }

  /// Whether becoming active refetches while the query is observed, evaluated each time.
  ///
  /// ```swift
  /// let prices = Query("prices") { try await api.price() }
  ///   .refetchOnActive { $0.age.map { $0 > .minutes(1) } ?? true ? .always : .never }
  /// ```
  ///
  /// - Parameter policy: Returns the policy for this event, and may wait. A closure that is written on an
  ///   actor runs on that actor.
  /// - Returns: The changed query.
  public consuming func refetchOnActive(
    @_inheritActorContext _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnActive = .dynamic(policy) }
  }
}
