/// Whether a subscription, a reconnect or an activation refetches data that is already cached.
///
/// Without data a subscription fetches whatever the policy, unless the query is disabled or
/// ``Query/retryOnSubscribe(_:)`` leaves its error alone.
///
/// ```swift
/// let inbox = Query("inbox") { try await api.todos() }
///   .refetchOnSubscribe(.when { $0.age.map { $0 > .minutes(1) } ?? true })
///   .refetchOnActive(.always)
/// ```
public struct RefetchPolicy: Sendable, _FreeOfActors, ExpressibleByBooleanLiteral {
  /// A policy that does not depend on a closure.
  package enum Answer: Hashable, Sendable {
    case never, ifStale, always
  }

  /// An `async` condition, which may call an actor.
  enum Condition: Sendable {
    case when(@Sendable () async -> Bool)
    case informed(@Sendable (QueryInfo) async -> Bool)
    case policy(@Sendable (QueryInfo) async -> RefetchPolicy)
  }

  enum Kind: Sendable {
    case fixed(Answer)
    /// A closure, called where the decision is made.
    case asked(@Sendable (QueryInfo) -> RefetchPolicy)
    /// A condition, evaluated in a task of its own; the decision is made after that.
    case awaited(Condition)
  }

  let kind: Kind

  package init(_ answer: Answer) {
    kind = .fixed(answer)
  }

  private init(kind: Kind) {
    self.kind = kind
  }

  /// `true` is ``ifStale``, `false` is ``never``.
  ///
  /// - Parameter value: Whether to refetch stale data.
  public init(booleanLiteral value: Bool) {
    self.init(value ? .ifStale : .never)
  }

  /// Shows the cached data, and ignores the event.
  public static var never: Self { RefetchPolicy(.never) }

  /// Refetches when the data is stale; the default.
  public static var ifStale: Self { RefetchPolicy(.ifStale) }

  /// Refetches even fresh data.
  public static var always: Self { RefetchPolicy(.always) }

  // MARK: Conditions

  /// Refetches, even fresh data, if a condition holds.
  ///
  /// - Parameter condition: Whether to refetch; must be pure and quick.
  /// - Returns: The policy.
  public static func when(_ condition: @escaping @Sendable () -> Bool) -> Self {
    dynamic { _ in condition() ? .always : .never }
  }

  /// Refetches, even fresh data, if a condition holds for the query's state.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .refetchOnReconnect(.when { $0.errorUpdateCount == 0 })
  /// ```
  ///
  /// - Parameter condition: Whether to refetch; must be pure and quick.
  /// - Returns: The policy.
  public static func when(_ condition: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    dynamic { condition($0) ? .always : .never }
  }

  /// Chooses a policy by the query's state.
  ///
  /// Each subscription, and so each view that appears, evaluates the policy for the entry as it was before
  /// the subscription. At a reconnect or an activation, each observer evaluates the policy.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .refetchOnActive(.dynamic { $0.isInvalidated ? .always : .never })
  /// ```
  ///
  /// - Parameter policy: Returns the policy for this subscription or event; must be pure and quick. If it
  ///   returns a policy with another closure, that counts as ``never``.
  /// - Returns: The policy.
  public static func dynamic(_ policy: @escaping @Sendable (QueryInfo) -> RefetchPolicy) -> Self {
    RefetchPolicy(kind: .asked(policy))
  }

  // MARK: Asynchronous conditions

  /// Refetches, even fresh data, if an asynchronous condition holds.
  ///
  /// ```swift
  /// actor Search { var isOn = false }
  /// let search = Search()
  /// let prices = Query("prices") { try await api.price() }
  ///   .refetchOnActive(.when { await search.isOn })
  /// ```
  ///
  /// A closure is asynchronous if it has an `await`, or says `async`: `{ @MainActor () async in isVisible }`.
  /// Only this refetch waits for the condition. A subscription shows the cached data meanwhile.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The policy.
  public static func when(_ condition: @escaping @Sendable () async -> Bool) -> Self {
    RefetchPolicy(kind: .awaited(.when(condition)))
  }

  /// Refetches, even fresh data, if an asynchronous condition on the query's state holds.
  ///
  /// The condition gets the state from the time of the subscription or the event. Each observer evaluates
  /// the condition once.
  ///
  /// - Parameter condition: Whether to refetch.
  /// - Returns: The policy.
  public static func when(_ condition: @escaping @Sendable (QueryInfo) async -> Bool) -> Self {
    RefetchPolicy(kind: .awaited(.informed(condition)))
  }

  /// Chooses a policy by the query's state, asynchronously.
  ///
  /// Whether the data is stale is decided after the closure has answered.
  ///
  /// - Parameter policy: Returns the policy for this subscription or event. If it returns a policy with
  ///   another closure, that counts as ``never``.
  /// - Returns: The policy.
  public static func dynamic(
    _ policy: @escaping @Sendable (QueryInfo) async -> RefetchPolicy
  ) -> Self {
    RefetchPolicy(kind: .awaited(.policy(policy)))
  }

  // MARK: Answers and rules

  /// The policy for the machine, without closures: the client has evaluated those.
  var fixed: Answer {
    if case .fixed(let answer) = kind { answer } else { .never }
  }

  /// The closure that a subscription calls; `nil` for a fixed policy, and for an `async` condition.
  var rule: (@Sendable (QueryInfo) -> RefetchPolicy)? {
    if case .asked(let rule) = kind { rule } else { nil }
  }

  var isFixed: Bool {
    if case .fixed = kind { true } else { false }
  }

  var isAwaited: Bool {
    if case .awaited = kind { true } else { false }
  }
}

/// The invalidated entries that are refetched at once.
public enum RefetchScope: String, Hashable, Codable, Sendable {
  /// No entries: they are refetched on the next occasion.
  case never
  /// Entries with an enabled observer; the default.
  case active
  /// Entries without an enabled observer.
  case inactive
  /// All entries.
  case all
}
