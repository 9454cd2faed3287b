// The cache stores queries and defaults as objects of base classes. Here the client gets its own
// types back.

extension StoredQuery {
  /// The query with its closures.
  @inline(__always)
  var resolved: ResolvedQuery {
    // No other subclass exists, and the base class is never instantiated. `unsafeDowncast` itself checks this
    // in debug builds.
    unsafeDowncast(self, to: ResolvedQuery.self)
  }
}

extension StoredDefaults {
  /// The defaults with their closures.
  @inline(__always)
  var table: DefaultsTable {
    // No other subclass exists, and the base class is never instantiated. `unsafeDowncast` itself checks this
    // in debug builds.
    unsafeDowncast(self, to: DefaultsTable.self)
  }
}

extension InitialData {
  /// Evaluates the initial data of a query (user code); `nil` if there is no data after all.
  init?(of query: ResolvedQuery) {
    // Until the store is read, the query's own initial data must not take the place of the data
    // that the store may have.
    guard !query.isRestoring, let source = query.initialData else { return nil }
    self.init(restoring: source)
  }

  /// The sources from which initial data may come.
  enum Origin {
    /// The data of the store or, without that, the query's own initial data.
    case any
    case kept
    case own
  }

  /// Evaluates the initial data of a source; `nil` if there is none.
  init?(restoring stored: StoredInitialData, from origin: Origin = .any) {
    // The client stores initial data only as objects of this class. `unsafeDowncast` itself checks this in
    // debug builds.
    let source = unsafeDowncast(stored, to: DefinitionExtras.InitialDataSource.self)
    let found =
      switch origin {
      case .any: source.value()
      case .kept: source.kept?()
      case .own: source.own?()
      }
    guard let found else { return nil }
    self.init(
      box: found.box,
      updatedAt: found.updatedAt,
      isInvalidated: found.isInvalidated,
      isPart: found.isPart,
      source: source
    )
  }
}

extension FetchJob {
  /// The closure that fetches; throws if neither the caller nor a default has one.
  var fetch: QueryDefinition.Fetch {
    get throws(QueryError) {
      guard let fetch = query.resolved.fetch else {
        throw QueryError.missingFetch(key: key.key.description)
      }
      return fetch
    }
  }

  /// The retry policy of the fetch.
  ///
  /// It is computed only when an attempt has failed, which is rare.
  var retry: RetryPolicy {
    let query = (retryQuery ?? query).resolved
    return isImperative ? query.imperativeRetry : query.retry
  }
}

extension FetchContext {
  /// The fetch to which the context belongs; `nil` for a context that a test made.
  var fetchJob: FetchJob? { job as? FetchJob }
}
