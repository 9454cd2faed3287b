/// Whether a subscription refetches data that is already cached.
///
/// Without data a subscription always fetches, whatever the policy (unless the query is disabled).
public enum RefetchPolicy: String, Hashable, Codable, Sendable, _FreeOfActors,
  ExpressibleByBooleanLiteral
{
  /// Shows the cached data.
  case never
  /// Refetches when the data is stale; the default.
  case ifStale
  /// Refetches even fresh data.
  case always

  /// `true` is ``ifStale``, `false` is ``never``.
  ///
  /// - Parameter value: Whether to refetch what is stale.
  public init(booleanLiteral value: Bool) {
    self = value ? .ifStale : .never
  }
}

/// Whether an event (the network came back, the app became active) refetches an observed query.
public struct EventRefetchPolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  /// What is asked when the event arrives.
  enum Condition: Sendable {
    case when(@Sendable () async -> Bool)
    case informed(@Sendable (QueryInfo) async -> Bool)
    case policy(@Sendable (QueryInfo) async -> RefetchPolicy)
  }

  enum Kind: Sendable {
    case fixed(RefetchPolicy)
    case asked(Condition)
  }

  let kind: Kind

  private init(kind: Kind) {
    self.kind = kind
  }

  /// `true` is ``ifStale``, `false` is ``never``.
  ///
  /// - Parameter value: Whether to refetch what is stale.
  public init(booleanLiteral value: Bool) {
    self = value ? .ifStale : .never
  }

  /// Ignores the event.
  public static var never: Self { EventRefetchPolicy(kind: .fixed(.never)) }

  /// Refetches when the data is stale; the default.
  public static var ifStale: Self { EventRefetchPolicy(kind: .fixed(.ifStale)) }

  /// Refetches even fresh data.
  public static var always: Self { EventRefetchPolicy(kind: .fixed(.always)) }

  /// Calls the closure when the event arrives, and refetches on `true`.
  ///
  /// The closure may wait for an actor: `.when { await store.isSearching }`. A closure written on
  /// an actor runs there: a model on the main actor writes `.when { self.isSearching }`. Only this
  /// refetch waits for the closure.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The policy.
  public static func when(
    @_inheritActorContext _ condition: @escaping @Sendable () async -> Bool
  ) -> Self {
    EventRefetchPolicy(kind: .asked(.when(condition)))
  }

  /// Calls the closure with the query's state when the event arrives, and refetches on `true`.
  ///
  /// The closure may wait, like the one without an argument; the state it was given is then as old
  /// as the event. It is called once for each observer.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .refetchOnReconnect(.when { $0.errorUpdateCount == 0 })
  /// ```
  ///
  /// - Parameter condition: Whether to refetch, even if the data is fresh.
  /// - Returns: The policy.
  public static func when(
    @_inheritActorContext _ condition: @escaping @Sendable (QueryInfo) async -> Bool
  ) -> Self {
    EventRefetchPolicy(kind: .asked(.informed(condition)))
  }

  /// Asks for a policy when the event arrives, with the query's state at that time.
  ///
  /// The closure may wait; only this refetch waits for it. Whether the data is stale is decided
  /// after the closure has answered.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .refetchOnActive(.dynamic { $0.isInvalidated ? .always : .never })
  /// ```
  ///
  /// - Parameter policy: Returns the policy for this event.
  /// - Returns: The policy.
  public static func dynamic(
    @_inheritActorContext _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    EventRefetchPolicy(kind: .asked(.policy(policy)))
  }

  /// What the machine sees: a condition is evaluated outside it.
  var fixed: RefetchPolicy {
    if case .fixed(let policy) = kind { policy } else { .never }
  }

  /// The condition to evaluate when the event arrives.
  var condition: Condition? {
    if case .asked(let condition) = kind { condition } else { nil }
  }
}

/// A function that decides whether a subscription refetches cached data.
///
/// ```swift
/// let inbox = Query("inbox") { try await api.todos() }
///   .refetchOnSubscribe(.when { $0.age.map { $0 > .minutes(1) } ?? true })
/// ```
///
/// It is asked by each subscription, and so by each view that appears, with the entry as it was
/// before. It must be pure and quick. Without data a subscription fetches whatever the answer.
public struct RefetchRule: Sendable, _FreeOfActors {
  let decides: @Sendable (QueryInfo) -> RefetchPolicy

  /// Refetches, even fresh data, if a condition holds.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The rule.
  public static func when(_ condition: @escaping @Sendable () -> Bool) -> Self {
    Self { _ in condition() ? .always : .never }
  }

  /// Refetches, even fresh data, if a condition holds for the query's state.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The rule.
  public static func when(_ condition: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    Self { condition($0) ? .always : .never }
  }

  /// Chooses a policy by the query's state.
  ///
  /// - Parameter policy: Returns the policy for this subscription.
  /// - Returns: The rule.
  public static func dynamic(_ policy: @escaping @Sendable (QueryInfo) -> RefetchPolicy) -> Self {
    Self(decides: policy)
  }
}

/// Which of the invalidated entries are refetched at once.
public enum RefetchScope: String, Hashable, Codable, Sendable {
  /// None: they are refetched on the next occasion.
  case never
  /// Those with an enabled observer; the default.
  case active
  /// Those without an enabled observer.
  case inactive
  /// All.
  case all
}
