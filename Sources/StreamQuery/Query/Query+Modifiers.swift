#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Options as modifiers: each returns a changed copy, the last of a kind wins.
extension Query {
  /// The options that were set on this query.
  public var options: QueryOptions { plan.options }

  /// The same query with some options changed.
  ///
  /// - Parameter change: Changes the options.
  /// - Returns: The changed query.
  public func options(_ change: (inout QueryOptions) -> Void) -> Self {
    var options = plan.options
    change(&options)
    return Query(key: key, plan: plan.with(options: options))
  }

  /// The same query with the set options of a bag; what the bag leaves out stays.
  ///
  /// - Parameter options: The options.
  /// - Returns: The changed query.
  public func options(_ options: QueryOptions) -> Self {
    Query(key: key, plan: plan.with(options: options.over(plan.options)))
  }

  /// How long data counts as fresh.
  ///
  /// - Parameter duration: How long.
  /// - Returns: The changed query.
  public func staleTime(_ duration: Duration) -> Self {
    options { $0.staleTime = .after(duration) }
  }

  /// How long data counts as fresh.
  ///
  /// - Parameter staleTime: How long.
  /// - Returns: The changed query.
  public func staleTime(_ staleTime: StaleTime) -> Self {
    options { $0.staleTime = staleTime }
  }

  /// How long the entry is kept without observers; above 100 years is for ever.
  ///
  /// - Parameter duration: How long.
  /// - Returns: The changed query.
  public func gcTime(_ duration: Duration) -> Self {
    options { $0.gcTime = duration }
  }

  /// Retries of failed attempts.
  ///
  /// - Parameter policy: How often and when.
  /// - Returns: The changed query.
  public func retry(_ policy: RetryPolicy) -> Self {
    options { $0.retry = policy }
  }

  /// Retries of failed attempts, at the usual backoff.
  ///
  /// - Parameter count: How many after the first attempt.
  /// - Returns: The changed query.
  public func retry(_ count: Int) -> Self {
    options { $0.retry = .times(count) }
  }

  /// Retries of failed attempts.
  ///
  /// - Parameters:
  ///   - count: How many after the first attempt.
  ///   - delay: The wait before each, from the failures before this one (0 at the first).
  /// - Returns: The changed query.
  public func retry(_ count: Int, delay: @escaping @Sendable (Int) -> Duration) -> Self {
    options { $0.retry = .times(count).backoff(.custom { failures, _ in delay(failures) }) }
  }

  /// Whether the query fetches by itself.
  ///
  /// A disabled query shows what is cached and written, and fetches only when it is asked to in
  /// person: by `fetch`, `ensure`, `prefetch` or an observer's `refetch`.
  ///
  /// - Parameter isEnabled: Whether it does.
  /// - Returns: The changed query.
  public func enabled(_ isEnabled: Bool) -> Self {
    options { $0.enabled = .fixed(isEnabled) }
  }

  /// Whether the query fetches by itself, asked anew whenever its entry changes.
  ///
  /// - Parameter isEnabled: Must be pure and quick; may run several times for one decision.
  /// - Returns: The changed query.
  public func enabled(when isEnabled: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    options { $0.enabled = .when(isEnabled) }
  }

  /// What happens while offline.
  ///
  /// - Parameter mode: The mode.
  /// - Returns: The changed query.
  public func networkMode(_ mode: NetworkMode) -> Self {
    options { $0.networkMode = mode }
  }

  /// Polling while observed; `nil` turns it off.
  ///
  /// - Parameter duration: The time between two fetches.
  /// - Returns: The changed query.
  public func refetchInterval(_ duration: Duration?) -> Self {
    options { $0.refetchInterval = duration.map(RefetchInterval.every) ?? .off }
  }

  /// Polling while observed.
  ///
  /// - Parameters:
  ///   - interval: The time between two fetches.
  ///   - inBackground: Whether polling goes on while the app is in the background.
  /// - Returns: The changed query.
  public func refetchInterval(
    _ interval: RefetchInterval,
    inBackground: BackgroundInterval = .off
  ) -> Self {
    options {
      $0.refetchInterval = interval
      $0.refetchIntervalInBackground = inBackground
    }
  }

  /// Whether a reconnect refetches.
  ///
  /// - Parameter policy: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnReconnect(_ policy: EventRefetchPolicy) -> Self {
    options { $0.refetchOnReconnect = policy }
  }

  /// Whether a reconnect refetches stale data.
  ///
  /// - Parameter refetches: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnReconnect(_ refetches: Bool) -> Self {
    options { $0.refetchOnReconnect = refetches ? .ifStale : .never }
  }

  /// Whether becoming active refetches.
  ///
  /// - Parameter policy: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnActive(_ policy: EventRefetchPolicy) -> Self {
    options { $0.refetchOnActive = policy }
  }

  /// Whether becoming active refetches stale data.
  ///
  /// - Parameter refetches: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnActive(_ refetches: Bool) -> Self {
    options { $0.refetchOnActive = refetches ? .ifStale : .never }
  }

  /// Whether a subscription refetches cached data.
  ///
  /// - Parameter policy: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnSubscribe(_ policy: RefetchPolicy) -> Self {
    options { $0.refetchOnSubscribe = policy }
  }

  /// Whether a subscription refetches stale data.
  ///
  /// - Parameter refetches: Whether it does.
  /// - Returns: The changed query.
  public func refetchOnSubscribe(_ refetches: Bool) -> Self {
    options { $0.refetchOnSubscribe = refetches ? .ifStale : .never }
  }

  /// Whether a subscription tries again what failed and has no data.
  ///
  /// - Parameter retries: Whether it does.
  /// - Returns: The changed query.
  public func retryOnSubscribe(_ retries: Bool) -> Self {
    options { $0.retryOnSubscribe = retries }
  }

  /// What becomes of a fetch that nobody wants any more.
  ///
  /// - Parameter policy: What becomes of it.
  /// - Returns: The changed query.
  public func onAbandonment(_ policy: AbandonmentPolicy) -> Self {
    options { $0.abandonment = policy }
  }

  /// Which errors leave the stream for a boundary.
  ///
  /// - Parameter policy: Which.
  /// - Returns: The changed query.
  public func throwOnError(_ policy: ThrowPolicy) -> Self {
    options { $0.throwOnError = policy }
  }

  /// Whether errors leave the stream for a boundary.
  ///
  /// - Parameter isThrown: Whether they do.
  /// - Returns: The changed query.
  public func throwOnError(_ isThrown: Bool) -> Self {
    options { $0.throwOnError = isThrown ? .always : .never }
  }

  /// A fact for the fetch, filters and events.
  ///
  /// - Parameters:
  ///   - key: The key type of the fact.
  ///   - value: The fact.
  /// - Returns: The changed query.
  public func meta<Key: QueryMetaKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
    options {
      var meta = $0.meta ?? QueryMeta()
      meta[key] = value
      $0.meta = meta
    }
  }

  /// Shown while there is no data, and never cached: success with `isPlaceholderData`.
  ///
  /// - Parameter value: The placeholder.
  /// - Returns: The changed query.
  public func placeholder(_ value: Value) -> Self {
    Query(key: key, plan: plan.with(placeholder: TypedBox(value)))
  }

  /// Real data for an entry that has none: cached, and as old as its date says.
  ///
  /// - Parameters:
  ///   - value: Asked once per entry without data; `nil` seeds nothing.
  ///   - updatedAt: When the value was good; `nil` is now, a date in the future too.
  /// - Returns: The changed query.
  public func initialData(
    _ value: @autoclosure @escaping @Sendable () -> Value?,
    updatedAt: Date? = nil
  ) -> Self {
    let seed = QueryPlan.InitialData(
      value: { value().map(TypedBox.init) },
      updatedAt: updatedAt?.timeIntervalSinceReferenceDate
    )
    return Query(key: key, plan: plan.with(initialData: seed))
  }

  /// Each element of a sequence refetches the key while it is observed.
  ///
  /// - Parameter causes: Makes the sequence; asked anew for each subscription, so that single-pass
  ///   streams can be built again. When it ends or fails, it refetches no more.
  /// - Returns: The changed query.
  public func refetch(on causes: @autoclosure @escaping @Sendable () -> any AsyncSequence) -> Self {
    Query(key: key, plan: plan.with(trigger: causes))
  }

  /// Joins a fetched value with the cached one before it lands, to keep what did not change.
  ///
  /// - Parameter merge: Gets the cached and the fetched value; must be pure, and may run several
  ///   times for one fetch.
  /// - Returns: The changed query.
  public func merge(_ merge: @escaping @Sendable (_ old: Value, _ new: Value) -> Value) -> Self {
    let erased: @Sendable (ValueBox, ValueBox) -> ValueBox = { old, new in
      TypedBox(merge(old.value(as: Value.self), new.value(as: Value.self)))
    }
    return Query(key: key, plan: plan.with(merge: erased))
  }
}
