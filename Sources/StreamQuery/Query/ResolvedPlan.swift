/// A plan under a client's defaults and an observer's options: every layer merged, once.
final class ResolvedPlan: Sendable {
  let plan: QueryPlan
  let defaults: DefaultsTable
  let options: QueryOptions
  let observer: ObserverOptions?
  let fetch: QueryPlan.Fetch?
  let terms: FetchTerms
  let gcTime: Span
  /// The profile, closures left out; see ``isDynamic``.
  private let fixed: ObserverProfile
  /// Whether an option is a closure that has to be asked whenever the entry changes.
  let isDynamic: Bool

  init(
    _ plan: QueryPlan,
    for key: AnyQueryKey,
    defaults: DefaultsTable,
    observer: ObserverOptions? = nil
  ) {
    self.plan = plan
    self.defaults = defaults
    self.observer = observer
    var options = plan.options.over(defaults.options(for: key))
    if let observer { options = observer.layer.over(options) }
    self.options = options
    // Not by `??`, which wraps what it is given: each fetch would run through the wrappers.
    if let own = plan.fetch {
      fetch = own
    } else if let common = defaults.fetch(for: key) {
      fetch = Self.typed(common, plan)
    } else {
      fetch = nil
    }
    gcTime = options.gcTime.map(Span.init) ?? Span(.seconds(300))

    var terms = FetchTerms()
    terms.networkMode = options.networkMode ?? .online
    terms.failureInvalidates = defaults.failureInvalidates
    terms.resetsData = plan.resetsData
    terms.abandonment =
      switch options.abandonment ?? .cancel {
      case .cancel: .cancel
      case .finish: .finish
      case .linger(let duration): .linger(Span(duration))
      }
    self.terms = terms

    var profile = ObserverProfile()
    profile.onSubscribe = options.refetchOnSubscribe ?? .ifStale
    // Who fetches whatever the network does has no use for its return, unless told otherwise.
    let onReconnect = terms.networkMode == .always ? EventRefetchPolicy.never : .ifStale
    profile.onReconnect = (options.refetchOnReconnect ?? onReconnect).fixed
    profile.onActive = (options.refetchOnActive ?? .ifStale).fixed
    profile.retriesOnSubscribe = options.retryOnSubscribe ?? true
    profile.gcTime = observer?.gcTime.map(Span.init)
    profile.linger = observer?.linger.map(Span.init)

    var isDynamic = false
    if case .when = options.enabled { isDynamic = true }
    if case .dynamic = options.staleTime?.kind { isDynamic = true }
    if case .dynamic = options.refetchInterval?.kind { isDynamic = true }
    self.isDynamic = isDynamic

    // Without a way to fetch there is nothing to enable.
    profile.isEnabled = fetch != nil && options.enabled?.fixed ?? true
    profile.freshness = options.staleTime?.fixed ?? .after(.zero)
    let interval = options.refetchInterval?.fixed
    profile.interval = interval ?? .infinite
    profile.backgroundInterval =
      options.refetchIntervalInBackground?.resolved(interval: interval) ?? .infinite
    fixed = profile
  }

  /// The profile, if it needs nobody's answer.
  var fixedProfile: ObserverProfile? { isDynamic ? nil : fixed }

  /// The profile in the present state; asks closures only if there are any.
  ///
  /// - Parameter info: The present state, made only if it is asked for.
  /// - Returns: The profile.
  func profile(_ info: () -> QueryInfo) -> ObserverProfile {
    guard isDynamic else { return fixed }
    var profile = fixed
    // Without a way to fetch there is nothing to enable.
    profile.isEnabled = fetch != nil && (options.enabled?.resolved(info) ?? true)
    profile.freshness = options.staleTime?.resolved(info) ?? .after(.zero)
    let interval = options.refetchInterval?.resolved(info)
    profile.interval = interval ?? .infinite
    profile.backgroundInterval =
      options.refetchIntervalInBackground?.resolved(interval: interval) ?? .infinite
    return profile
  }

  /// Retries of fetches that nobody waits for in person.
  var retry: RetryPolicy { options.retry ?? .times(3) }

  /// Retries of `fetch`, `ensure` and `prefetch`.
  var imperativeRetry: RetryPolicy { options.retry ?? defaults.client.imperativeRetry }

  func isMade(of plan: QueryPlan, under defaults: DefaultsTable) -> Bool {
    self.plan === plan && self.defaults === defaults && observer == nil
  }

  private static func typed(
    _ fetch: @escaping DefaultsTable.Fetch,
    _ plan: QueryPlan
  ) -> QueryPlan.Fetch {
    { context in
      let value = try await fetch(context)
      guard let box = plan.box(value) else {
        throw QueryError.unexpectedType(
          key: context.key.description,
          expected: plan.valueTypeName,
          actual: String(reflecting: type(of: value as Any))
        )
      }
      return box
    }
  }
}
