/// The options of a query that decide whether cached data answers a caller at once.
///
/// A server makes a query for each call, and most calls are hits. A hit needs only these options;
/// resolving the whole query would take longer than the hit itself.
struct HitTerms: Equatable {
  let freshness: Freshness
  let refreshAhead: RefreshAhead
  let gcTime: TimeSpan
}

extension HitTerms {
  /// - Parameter query: A resolved query. There are no terms if a store keeps its data, or if functions have
  ///   to be evaluated.
  init?(_ query: ResolvedQuery) {
    guard !query.isPersisted, let options = query.fixedOptions else { return nil }
    freshness = options.freshness
    refreshAhead = query.serving?.refreshAhead ?? .off
    gcTime = query.gcTime
  }

  /// The terms of a query, determined without resolving the query.
  ///
  /// This is not an initializer, because an initializer owns its arguments: all threads would
  /// retain and release the same defaults.
  ///
  /// - Parameters:
  ///   - definition: The query.
  ///   - defaults: The client's defaults.
  /// - Returns: The terms; `nil` if the query has to be resolved, because some defaults are for a prefix of
  ///   keys, a store keeps the data, or functions have to be evaluated.
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
