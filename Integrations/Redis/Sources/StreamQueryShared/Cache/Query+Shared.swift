public import StreamQuery

extension Query where Value: Codable {
  /// Shares the data of the query with all machines that use the same store and namespace.
  ///
  /// A fetch first asks the store. If the store has a young entry, the fetch returns it with its age, so that
  /// the query's stale time holds across machines. Otherwise one machine fetches for all, and the others
  /// wait for it. ``SharedCache`` describes invalidations, failures and the absence of the store.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .staleTime(.minutes(1))
  ///   .shared(through: cache, tags: ["team 7"])
  /// ```
  ///
  /// A refetch, a reset and a trigger ask upstream. So does the next fetch after a call of the client's own
  /// `invalidate`, even if the client had no data then. That call concerns this machine only;
  /// ``SharedCache/invalidate(_:)`` concerns all machines. Apply this modifier after the ones that change
  /// the fetch. A single page of an infinite query is not shared.
  ///
  /// - Parameters:
  ///   - cache: The cache of the client that fetches the query.
  ///   - tags: Further marks that invalidate the query:
  ///     ``SharedCache/invalidate(tags:)-([String])``.
  ///   - form: The version of the value's format. Machines with another version have entries of their
  ///     own, so that old and new code can run side by side.
  ///   - maxAge: The maximum age of an entry; `nil` is the query's stale time.
  /// - Returns: The changed query.
  public func shared(
    through cache: SharedCache,
    tags: [String] = [],
    form: String = "1",
    maxAge: Duration? = nil
  ) -> Self {
    shared(SharedSettings(tags: tags, form: form, maxAge: maxAge)) { _ in cache }
  }

  /// Shares the data of the query through the ``SharedCache`` of the client that fetches it.
  ///
  /// Use it for queries of several clients, such as one for each tenant, each with a cache of its own: the
  /// query names no cache. A client that never had a cache, as in an app or a test, fetches for itself. If a
  /// client has several caches, the first existing one counts.
  ///
  /// Retain the cache, because the client does not: after all caches of a client were released, its
  /// fetches of such queries fail with ``SharedCacheError/cacheGone(key:)``.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .staleTime(.minutes(1))
  ///   .shared(tags: ["team 7"])
  /// ```
  ///
  /// - Parameters:
  ///   - tags: Further marks that invalidate the query:
  ///     ``SharedCache/invalidate(tags:)-([String])``.
  ///   - form: The version of the value's format, as in ``shared(through:tags:form:maxAge:)``.
  ///   - maxAge: The maximum age of an entry; `nil` is the query's stale time.
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

  /// Shares data through a cache that is found at each fetch; without one, the client fetches for itself.
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
