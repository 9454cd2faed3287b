public import StreamQuery

extension Query where Value: Codable {
  /// Shares what the query fetches with all machines that use the same store and namespace.
  ///
  /// A fetch first asks the store. A young entry is its answer, with its age, so that the query's
  /// stale time holds across machines. Otherwise one machine fetches for all, and the others wait
  /// for it. What ``SharedCache`` says of invalidations, failures and a store that is away applies.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .staleTime(.minutes(1))
  ///   .shared(through: cache, tags: ["team 7"])
  /// ```
  ///
  /// A refetch, a reset and a trigger ask upstream, and so does an invalidation with the client's
  /// own `invalidate`, which concerns this machine only, whether it has the data or not;
  /// ``SharedCache/invalidate(_:)`` concerns all. Give this modifier after those that change what is
  /// fetched. The data of an infinite query's page is not shared.
  ///
  /// - Parameters:
  ///   - cache: The cache of the client that fetches the query.
  ///   - tags: What else invalidates the query: ``SharedCache/invalidate(tags:)-([String])``.
  ///   - form: The version of the form of the value. Machines with another one have entries of
  ///     their own, so that old and new code can run side by side.
  ///   - maxAge: How old an entry may be; `nil` is the query's stale time.
  /// - Returns: The changed query.
  public func shared(
    through cache: SharedCache,
    tags: [String] = [],
    form: String = "1",
    maxAge: Duration? = nil
  ) -> Self {
    shared(SharedSettings(tags: tags, form: form, maxAge: maxAge)) { _ in cache }
  }

  /// Shares what the query fetches through the ``SharedCache`` of whichever client fetches it.
  ///
  /// For queries that several clients use, such as one for each tenant, each with a cache of its own: the
  /// query names none of them. A client that never had a cache, as in an app or a test, fetches for
  /// itself. If a client has several caches, the first that is still there counts.
  ///
  /// Keep the cache, the client does not: once a client's caches are all gone, its fetches of such
  /// queries fail with ``SharedCacheError/cacheGone(key:)``.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }
  ///   .staleTime(.minutes(1))
  ///   .shared(tags: ["team 7"])
  /// ```
  ///
  /// - Parameters:
  ///   - tags: What else invalidates the query: ``SharedCache/invalidate(tags:)-([String])``.
  ///   - form: The version of the form of the value, as in ``shared(through:tags:form:maxAge:)``.
  ///   - maxAge: How old an entry may be; `nil` is the query's stale time.
  /// - Returns: The changed query.
  public func shared(
    tags: [String] = [],
    form: String = "1",
    maxAge: Duration? = nil
  ) -> Self {
    shared(SharedSettings(tags: tags, form: form, maxAge: maxAge)) { context in
      try SharedCache.cache(of: context.client, for: context.key)
    }
  }

  /// Shares what is fetched through a cache that is found at each fetch; without one, it is fetched here.
  private func shared(
    _ settings: SharedSettings,
    through cache: @escaping @Sendable (FetchContext) throws -> SharedCache?
  ) -> Self {
    meta(SharedSettingsKey.self, settings).aroundFetch { [key] context, fetch in
      guard let cache = try cache(context) else { return try await fetch() }
      return try await cache.fetch(key, settings, context, fetch)
    }
  }
}
