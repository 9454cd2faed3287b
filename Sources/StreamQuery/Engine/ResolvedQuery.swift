/// A query whose options are merged with a client's defaults and an observer's options, once for
/// all its uses.
///
/// It keeps the resolved values rather than the options, which are many and mostly unset.
// `@unchecked` is correct, as for the superclass: all stored properties are immutable and `Sendable`.
final class ResolvedQuery: StoredQuery, @unchecked Sendable {
  let definition: QueryDefinition
  var defaults: DefaultsTable { storedDefaults.table }
  let fetch: QueryDefinition.Fetch?
  /// The retry policy, if the query, an observer or a default sets one.
  private let ownRetry: RetryPolicy?
  /// The resolved options without the answers of closures; see ``isDynamic``.
  private let fixed: ResolvedObserverOptions
  /// The freshness as far as it does not depend on the entry.
  var fixedFreshness: Freshness { fixed.freshness }
  /// The options whose closures have to be evaluated repeatedly; `nil` if there are none.
  private let asked: Asked?
  /// Whether all options are known without evaluation.
  private let isFixed: Bool
  /// Whether the query includes an observer's own options.
  private let isOfObserver: Bool
  /// Whether the query, an observer or a default decides about a fetch that nobody wants any more.
  let hasAbandonment: Bool
  /// How a fetched value shares the unchanged parts of the cached value.
  let sharing: SharingPolicy.Kind

  private final class Asked: Sendable {
    let options: QueryOptions
    /// Tells whether the query's store has not been read yet; `nil` if there is no store, or if the store had
    /// been read when the query was resolved.
    let restoring: Restoring?

    init(_ options: QueryOptions, _ restoring: Restoring?) {
      self.options = options
      self.restoring = restoring
    }
  }

  /// The store that a query's data is read from.
  private struct Restoring: Sendable {
    let policy: any PersistencePolicy
    let persister: any Persister

    /// `nil` if no store keeps the data of the query.
    init?(_ definition: QueryDefinition, _ defaults: DefaultsTable) {
      guard let policy = definition.persistence ?? defaults.persistence, !policy.isOff,
        let persister = defaults.persisters.persister(for: policy)
      else { return nil }
      self.policy = policy
      self.persister = persister
    }

    var isUnderWay: Bool { persister.isRestoring(policy) }

    func open() { persister.open(policy) }

    /// The data of the store or, without that, the query's own initial data.
    func initialData(
      of key: EntryKey,
      _ definition: QueryDefinition
    ) -> DefinitionExtras.InitialDataSource {
      DefinitionExtras.InitialDataSource(
        kept: { persister.data(of: key, definition, policy) },
        own: definition.initialData?.own
      )
    }
  }

  convenience init(
    _ definition: QueryDefinition,
    for key: AnyQueryKey,
    defaults: DefaultsTable,
    observer: ObserverOptions? = nil
  ) {
    // Usually the options of the query and of the client are read in place. They are merged first only if an
    // observer or a prefix of keys may have options too.
    if observer == nil, defaults.prefixes.isEmpty {
      self.init(definition, for: key, defaults, definition, over: defaults)
    } else {
      let own = observer?.options.over(definition.options) ?? definition.options
      self.init(
        definition,
        for: key,
        defaults,
        MergedOptions(options: own),
        over: MergedOptions(options: defaults.options(for: key)),
        observer: observer.map { ($0.gcTime.map(TimeSpan.init), $0.linger.map(TimeSpan.init)) }
      )
    }
  }

  private init(
    _ definition: QueryDefinition,
    for key: AnyQueryKey,
    _ defaults: DefaultsTable,
    _ own: some OptionsLayer,
    over base: some OptionsLayer,
    observer: (gcTime: TimeSpan?, linger: TimeSpan?)? = nil
  ) {
    // These are local variables first, because an optimised build of 6.3.1 crashes in the compiler
    // if a property is read before `super.init`.
    let fetch = Self.fetch(of: definition, for: key, defaults)
    let restoring = Restoring(definition, defaults)
    var fetchOptions = FetchOptions()
    // A query whose data is in a store works offline by default.
    fetchOptions.networkMode =
      own.options.networkMode ?? base.options.networkMode
      ?? (restoring == nil ? .online : .offlineFirst)
    fetchOptions.failureInvalidates = defaults.failureInvalidates
    fetchOptions.resetsData = definition.resetsData
    fetchOptions.delivery = definition.delivery
    let abandonment = own.options.onAbandonment ?? base.options.onAbandonment
    fetchOptions.abandonment =
      switch abandonment ?? .cancel {
      case .cancel: .cancel
      case .finish: .finish
      case .linger(let duration): .linger(TimeSpan(duration))
      }

    let enabled = own.options.enabled ?? base.options.enabled
    let staleTime = own.options.staleTime ?? base.options.staleTime
    let refetchInterval = own.options.refetchInterval ?? base.options.refetchInterval
    let onReconnect = own.options.refetchOnReconnect ?? base.options.refetchOnReconnect
    let onActive = own.options.refetchOnActive ?? base.options.refetchOnActive
    var asksWhetherEnabled = false
    if case .when = enabled { asksWhetherEnabled = true }
    var isDynamic = asksWhetherEnabled
    if case .dynamic = staleTime?.kind { isDynamic = true }
    if case .dynamic = refetchInterval?.kind { isDynamic = true }
    var conditionalCauses: Set<FetchCause> = []
    let onSubscribe = own.options.refetchOnSubscribe ?? base.options.refetchOnSubscribe
    if onReconnect?.isFixed == false { conditionalCauses.insert(.reconnect) }
    if onActive?.isFixed == false { conditionalCauses.insert(.active) }
    if onSubscribe?.isAwaited == true { conditionalCauses.insert(.subscribed) }
    let retries = own.options.retryOnSubscribe ?? base.options.retryOnSubscribe
    let isRestoring = restoring?.isUnderWay == true
    let hasRule = onSubscribe?.rule != nil || retries?.rule != nil
    let isAsked = isDynamic || hasRule || isRestoring || !conditionalCauses.isEmpty

    var resolvedOptions = ResolvedObserverOptions()
    resolvedOptions.onSubscribe = onSubscribe?.fixed ?? .ifStale
    resolvedOptions.onReconnect = onReconnect?.fixed ?? fetchOptions.networkMode.standardReconnect
    resolvedOptions.onActive = onActive?.fixed ?? .ifStale
    resolvedOptions.retriesOnSubscribe = retries?.fixed ?? true
    resolvedOptions.gcTime = observer?.gcTime
    resolvedOptions.linger = observer?.linger
    // Without a way to fetch there is nothing to enable.
    resolvedOptions.isEnabled = fetch != nil && enabled?.fixed ?? true
    resolvedOptions.freshness = staleTime?.fixed ?? .after(.zero)
    let interval = refetchInterval?.fixed
    let background =
      own.options.refetchIntervalInBackground ?? base.options.refetchIntervalInBackground
    resolvedOptions.interval = interval ?? .infinite
    resolvedOptions.backgroundInterval = background?.resolved(interval: interval) ?? .infinite
    resolvedOptions.jitter = PollJitter(part: refetchInterval?.jitter ?? 0, of: key.description)

    let plain = definition.madePlaceholder.map { made in
      ResolvedQuery(made.plain, for: key, defaults, own, over: base, observer: observer)
    }
    self.definition = definition
    self.fetch = fetch
    // First the policies are only compared with `nil`, because unwrapping would copy them.
    let setsRetry = own.options.retry != nil || base.options.retry != nil
    ownRetry =
      setsRetry ? RetryPolicy.merge(own.options.retry, over: base.options.retry) : nil
    sharing = (own.options.sharing ?? base.options.sharing)?.kind ?? .automatic
    asked = isAsked ? Asked(own.options.over(base.options), isRestoring ? restoring : nil) : nil
    isFixed = !isDynamic && !isRestoring
    isOfObserver = observer != nil
    hasAbandonment = abandonment != nil
    fixed = resolvedOptions
    super.init(
      defaults: defaults,
      fetchOptions: fetchOptions,
      gcTime: Self.gcTime(own.options.gcTime ?? base.options.gcTime),
      meta: QueryMeta.merge(own.options.meta, over: base.options.meta),
      // Most queries have no options for a server that is slow or down, and get no terms.
      serving: ServingOptions.merge(own.options.serving, over: base.options.serving).flatMap {
        ServingTerms($0)
      },
      placeholder: definition.placeholder,
      plain: plain,
      feature: definition.feature,
      initialData: restoring?.initialData(
        of: EntryKey(key, valueType: definition.valueType),
        definition
      ) ?? definition.initialData,
      canFetch: fetch != nil,
      isDynamic: isDynamic,
      asksWhetherEnabled: asksWhetherEnabled,
      isPersisted: restoring != nil,
      hasHandlers: definition.onSettled != nil,
      conditionalCauses: conditionalCauses
    )
  }

  /// The retention of an entry: the time that some layer sets, or 5 minutes.
  static func gcTime(_ duration: Duration?) -> TimeSpan {
    duration.map(TimeSpan.init) ?? TimeSpan(.seconds(300))
  }

  /// The closure with which a query fetches: its own, or the default for the key.
  static func fetch(
    of definition: QueryDefinition,
    for key: AnyQueryKey,
    _ defaults: DefaultsTable
  ) -> QueryDefinition.Fetch? {
    // The operator `??` would wrap its operands in closures, through which each fetch would run.
    if let own = definition.fetch { return own }
    guard let common = defaults.fetch(for: key) else { return nil }
    return typed(common, definition)
  }

  /// The resolved options, if they do not depend on closures.
  var fixedOptions: ResolvedObserverOptions? { isFixed ? fixed : nil }

  /// The resolved options, if no user code has to run for them; otherwise `nil`.
  ///
  /// - Parameter isArrival: Whether the options are for a new subscription.
  /// - Returns: The options.
  func unaskedOptions(isArrival: Bool) -> ResolvedObserverOptions? {
    isFixed && !(isArrival && asksOnSubscribe) ? fixed : nil
  }

  /// The policy for keeping the data in a store.
  var persistence: (any PersistencePolicy)? { definition.persistence ?? defaults.persistence }

  /// Whether the query's store has not been read yet.
  var isRestoring: Bool { asked?.restoring?.isUnderWay ?? false }

  /// Opens the store of the query, because the query is going to be used.
  ///
  /// Code that only asks about a query does not call this.
  ///
  /// - Returns: The query.
  func opened() -> ResolvedQuery {
    asked?.restoring?.open()
    return self
  }

  /// Whether a function decides if a new subscription refetches.
  ///
  /// It is not a part of ``isDynamic``, because it does not matter for existing observers.
  var asksOnSubscribe: Bool {
    guard let asked else { return false }
    return asked.options.refetchOnSubscribe?.rule != nil
      || asked.options.retryOnSubscribe?.rule != nil
  }

  /// The resolved options in the present state; evaluates closures only if there are any.
  ///
  /// - Parameters:
  ///   - isArrival: Whether the options are for a new subscription.
  ///   - info: The present state, made only if it is needed.
  /// - Returns: The resolved options.
  func resolvedOptions(isArrival: Bool = false, _ info: () -> QueryInfo) -> ResolvedObserverOptions
  {
    guard let asked else { return fixed }
    var resolvedOptions = answers(of: asked.options, isArrival: isArrival, info)
    if let restoring = asked.restoring, restoring.isUnderWay {
      resolvedOptions.participation = .restoring
    }
    return resolvedOptions
  }

  private func answers(
    of options: QueryOptions,
    isArrival: Bool,
    _ info: () -> QueryInfo
  ) -> ResolvedObserverOptions {
    var resolvedOptions = fixed
    if isArrival, let rule = options.refetchOnSubscribe?.rule {
      resolvedOptions.onSubscribe = rule(info()).fixed
    }
    if isArrival, let rule = options.retryOnSubscribe?.rule, let error = info().error {
      resolvedOptions.retriesOnSubscribe = rule(error)
    }
    guard isDynamic else { return resolvedOptions }
    // Without a way to fetch there is nothing to enable.
    resolvedOptions.isEnabled = fetch != nil && (options.enabled?.resolved(info) ?? true)
    resolvedOptions.freshness = options.staleTime?.resolved(info) ?? .after(.zero)
    let interval = options.refetchInterval?.resolved(info)
    resolvedOptions.interval = interval ?? .infinite
    resolvedOptions.backgroundInterval =
      options.refetchIntervalInBackground?.resolved(interval: interval) ?? .infinite
    return resolvedOptions
  }

  override var terms: QueryTerms {
    var terms = QueryTerms(gcTime: gcTime)
    // The retry policy is not made here, because a record reads the terms of each entry.
    terms.retryCount = ownRetry == nil ? 3 : retry.fixedCount
    terms.freshness = fixed.freshness
    terms.isEnabled = asksWhetherEnabled ? nil : fixed.isEnabled
    if !fixed.interval.isInfinite { terms.polling = .every(fixed.interval) }
    guard let options = asked?.options else { return terms }
    if case .dynamic = options.staleTime?.kind { terms.freshness = nil }
    if case .dynamic = options.refetchInterval?.kind { terms.polling = .dynamic }
    return terms
  }

  /// The retry policy of fetches that an observer, a trigger or a refetch started.
  var retry: RetryPolicy { ownRetry?.over(.times(3)) ?? .times(3) }

  /// The retry policy of fetches that `fetch`, `ensure` or `prefetch` started.
  var imperativeRetry: RetryPolicy {
    let ofClient = defaults.client.imperativeRetry
    return ownRetry?.over(ofClient) ?? ofClient
  }

  /// The policy to ask before a reconnect, an activation or a subscription refetches; `nil` if there is none.
  func condition(of cause: FetchCause) -> RefetchPolicy? {
    guard conditionalCauses.contains(cause) else { return nil }
    return switch cause {
    case .reconnect: asked?.options.refetchOnReconnect
    case .active: asked?.options.refetchOnActive
    case .subscribed: asked?.options.refetchOnSubscribe
    case .invalidated, .interval, .manual, .reset, .trigger: nil
    }
  }

  /// The values that hold if no layer sets them, of the options whose default depends on the query.
  var standardOptions: QueryOptions {
    let reconnect = RefetchPolicy(fetchOptions.networkMode.standardReconnect)
    return QueryOptions(networkMode: fetchOptions.networkMode, refetchOnReconnect: reconnect)
  }

  func isMade(of definition: QueryDefinition, under defaults: DefaultsTable) -> Bool {
    isMade(of: definition) && storedDefaults === defaults
  }

  /// Whether the query was made from this definition, under any defaults.
  func isMade(of definition: QueryDefinition) -> Bool {
    self.definition === definition && !isOfObserver
  }

  private static func typed(
    _ fetch: @escaping DefaultsTable.Fetch,
    _ definition: QueryDefinition
  ) -> QueryDefinition.Fetch {
    { context in
      let value = try await fetch(context)
      guard let box = definition.box(value) else {
        throw QueryError.unexpectedType(
          key: context.key.description,
          expected: definition.valueTypeName,
          actual: String(reflecting: type(of: value as Any))
        )
      }
      return box
    }
  }
}

/// The holder of a layer of options; passing the options themselves would copy them.
private protocol OptionsLayer {
  var options: QueryOptions { get }
}

extension QueryDefinition: OptionsLayer {}

extension DefaultsTable: OptionsLayer {
  fileprivate var options: QueryOptions { client.options }
}

/// The options of several layers.
private struct MergedOptions: OptionsLayer {
  let options: QueryOptions
}

extension ResolvedQuery {
  /// How long callers get a failure as their answer.
  func failureCaching(for key: AnyQueryKey) -> FailureCaching? {
    definition.options.cachesFailures ?? defaults.options(for: key).cachesFailures
  }

  /// Whether answers may keep parts of the cached value.
  var mayShare: Bool { sharing != .off || definition.merge != nil }

  /// The function that keeps unchanged parts of the cached value; `nil` if answers are stored as they are.
  ///
  /// - Parameter key: The key of the query.
  /// - Returns: The function, which takes the cached value and the new one; it is user code, so
  ///   never call it under the lock.
  func share(for key: AnyQueryKey) -> DefinitionExtras.Merge? {
    if let merge = definition.merge { return merge }
    switch sharing {
    case .off: return nil
    case .custom:
      let policy = definition.options.sharing ?? defaults.options(for: key).sharing
      if let custom = policy?.custom, custom.type == ObjectIdentifier(definition.valueType) {
        return custom.share
      }
    case .automatic: break
    }
    guard let rule = SharingRule.of(definition.valueType) else { return nil }
    return { old, new in rule.share(old, new) }
  }
}
