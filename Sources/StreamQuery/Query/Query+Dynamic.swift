/// Options as functions of the query's present state: of its data, or of all that is known of it.
///
/// Which form a closure is follows from what it does with its argument. One that suits both is taken to
/// be about the data: `{ $0 == nil }` asks whether there is data, and not whether there is an info. So
/// the forms that take a ``QueryInfo`` are disfavored.
///
/// The closures must be pure and quick; they run off the cache's lock, and may run several times for one
/// decision.
extension Query {
  // MARK: By the data

  /// Whether the query fetches by itself, as its data says; asked anew whenever its entry changes.
  ///
  /// As ``enabled(_:)`` in all else; a closure that takes a ``QueryInfo`` is told more.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }.enabled { (user: User?) in user == nil }
  /// ```
  ///
  /// - Parameter isEnabled: Gets the data as it is shown, with the layers of mutations over it; `nil`
  ///   without any.
  /// - Returns: The changed query.
  public func enabled(when isEnabled: @escaping @Sendable (_ data: Value?) -> Bool) -> Self {
    options { $0.enabled = .when { info in isEnabled(info.value(as: Value.self)) } }
  }

  /// How long data counts as fresh, as the data itself says; asked anew whenever the entry changes.
  ///
  /// ```swift
  /// let orders = Query("todos") { try await api.todos() }
  ///   .staleTime { data in data?.isEmpty == false ? .minutes(5) : .zero }
  /// ```
  ///
  /// - Parameter staleTime: Gets the data as it is shown, with the layers of mutations over it; `nil`
  ///   without any.
  /// - Returns: The changed query.
  public func staleTime(_ staleTime: @escaping @Sendable (_ data: Value?) -> StaleTime) -> Self {
    options { $0.staleTime = .dynamic { info in staleTime(info.value(as: Value.self)) } }
  }

  /// Refetches in a rhythm that depends on the data, for example until a job is done.
  ///
  /// ```swift
  /// let job = Query("todos") { try await api.todos() }
  ///   .refetchInterval { data in data?.isEmpty == true ? nil : .seconds(1) }
  /// ```
  ///
  /// - Parameters:
  ///   - inBackground: Whether polling goes on while the app is inactive, and how often; `nil` leaves that
  ///     as it is.
  ///   - interval: Gets the data as it is shown, with the layers of mutations over it; `nil` without
  ///     any. Gives the time between two fetches, or `nil` for none; asked anew whenever the entry
  ///     changes.
  /// - Returns: The changed query.
  public func refetchInterval(
    inBackground: BackgroundInterval? = nil,
    _ interval: @escaping @Sendable (_ data: Value?) -> Duration?
  ) -> Self {
    refetchInterval(
      .dynamic { info in interval(info.value(as: Value.self)) },
      inBackground: inBackground
    )
  }

  // MARK: By all that is known

  /// How long data counts as fresh, by a rule that is asked anew whenever the entry changes.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime { $0.observerCount > 10 ? .minutes(1) : .zero }
  /// ```
  ///
  /// - Parameter staleTime: Gives the stale time for the present state.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public func staleTime(_ staleTime: @escaping @Sendable (QueryInfo) -> StaleTime) -> Self {
    options { $0.staleTime = .dynamic(staleTime) }
  }

  /// Refetches in a rhythm that is asked for anew whenever the entry changes.
  ///
  /// ```swift
  /// let job = Query("todos") { try await api.todos() }
  ///   .refetchInterval(inBackground: .minutes(1)) { $0.status == .error ? nil : .seconds(1) }
  /// ```
  ///
  /// - Parameters:
  ///   - inBackground: Whether polling goes on while the app is inactive, and how often; `nil` leaves that
  ///     as it is.
  ///   - interval: Gives the time between two fetches in the present state, or `nil` for none.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public func refetchInterval(
    inBackground: BackgroundInterval? = nil,
    _ interval: @escaping @Sendable (QueryInfo) -> Duration?
  ) -> Self {
    refetchInterval(.dynamic(interval), inBackground: inBackground)
  }

  /// Whether a new subscription refetches data that is cached, asked by each subscription.
  ///
  /// The closure is told of the entry as it was before the subscription came. Without data a
  /// subscription loads whatever the answer. An observer in place, whose options or key change, does
  /// not ask.
  ///
  /// ```swift
  /// let inbox = Query("inbox") { try await api.todos() }
  ///   .refetchOnSubscribe { $0.errorUpdateCount > 3 ? .never : .always }
  /// ```
  ///
  /// - Parameter policy: Gives the policy for this subscription.
  /// - Returns: The changed query.
  public func refetchOnSubscribe(
    _ policy: @escaping @Sendable (QueryInfo) -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnSubscribeRule = policy }
  }

  /// Whether the network's return refetches while the query is observed, asked when it is back.
  ///
  /// - Parameter policy: Gives the policy for this return, and may wait; see
  ///   ``EventRefetchPolicy/dynamic(_:)``.
  /// - Returns: The changed query.
  public func refetchOnReconnect(
    @_inheritActorContext _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnReconnect = .dynamic(policy) }
  }

  /// Whether the app's return refetches while the query is observed, asked when it becomes active.
  ///
  /// ```swift
  /// let prices = Query("prices") { try await api.price() }
  ///   .refetchOnActive { $0.age.map { $0 > .minutes(1) } ?? true ? .always : .never }
  /// ```
  ///
  /// - Parameter policy: Gives the policy for this return, and may wait; see
  ///   ``EventRefetchPolicy/dynamic(_:)``.
  /// - Returns: The changed query.
  public func refetchOnActive(
    @_inheritActorContext _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    options { $0.refetchOnActive = .dynamic(policy) }
  }
}
