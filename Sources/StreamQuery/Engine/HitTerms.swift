/// The terms of a query that decide whether cached data answers a caller at once.
///
/// A server makes its queries at each call. Most calls are hits, and a hit needs no more of a query
/// than this: resolving all of it would take longer than the hit.
struct HitTerms: Equatable {
  let freshness: Freshness
  let refreshAhead: RefreshAhead
  let gcTime: TimeSpan
}

extension HitTerms {
  /// - Parameter query: A resolved query; `nil` if its data is kept beyond the cache, or if functions have to
  ///   be evaluated.
  init?(_ query: ResolvedQuery) {
    guard !query.isPersisted, let options = query.fixedOptions else { return nil }
    freshness = options.freshness
    refreshAhead = query.serving?.refreshAhead ?? .off
    gcTime = query.gcTime
  }

  /// The terms of a query that is not resolved.
  ///
  /// No initializer, which would own its arguments: all threads would count a reference to the
  /// defaults.
  ///
  /// - Parameters:
  ///   - definition: The query.
  ///   - defaults: The client's defaults.
  /// - Returns: The terms; `nil` if some defaults are of a prefix of keys.
  static func of(_ definition: QueryDefinition, _ defaults: DefaultsTable) -> HitTerms? {
    guard defaults.prefixes.isEmpty else { return nil }
    if let policy = definition.persistence ?? defaults.persistence, !policy.isOff { return nil }
    if case .when = definition.options.enabled ?? defaults.client.options.enabled { return nil }
    let interval = definition.options.refetchInterval ?? defaults.client.options.refetchInterval
    if case .dynamic = interval?.kind { return nil }
    let freshness: Freshness
    switch (definition.options.staleTime ?? defaults.client.options.staleTime)?.kind {
    case .dynamic: return nil
    case .fixed(let fixed): freshness = fixed
    case nil: freshness = .after(.zero)
    }
    let own = definition.options.serving?.values.refreshAhead
    return HitTerms(
      freshness: freshness,
      refreshAhead: own ?? defaults.client.options.serving?.values.refreshAhead ?? .off,
      gcTime: ResolvedQuery.gcTime(definition.options.gcTime ?? defaults.client.options.gcTime)
    )
  }
}
