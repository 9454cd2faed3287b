nonisolated extension QueryClient {
  /// Fetches the page after the last one, and waits for it.
  ///
  /// A key has one fetch at a time:
  ///
  /// - Without data, the call fetches the first page, or joins the fetch that runs.
  /// - With data, the fetch of the page replaces a running fetch, at most three times in a row. After that,
  ///   the call joins a running fetch of the same page; after any other running fetch, the page is fetched
  ///   next. If calls ask for several pages meanwhile, only the last of these pages is fetched.
  /// - If there is no next page, nothing is fetched and the cached pages keep their age.
  ///
  /// A page that arrives is a success of the whole query, but data that was invalidated stays invalidated
  /// until all pages are refetched. The caller only observes the fetch: cancelling the caller ends its wait,
  /// not the fetch.
  ///
  /// - Parameters:
  ///   - query: The infinite query.
  ///   - superseding: Whether a running fetch over data is replaced; `false` joins it, and then it
  ///     may happen that no page is added.
  /// - Returns: The result after the fetch.
  /// - Throws: The error of the page's fetch; ``QueryError/missingFetch(key:)``; ``QueryError/shutDown``.
  @discardableResult
  public nonisolated func fetchNextPage<Page, PageParam>(
    of query: InfiniteQuery<Page, PageParam>,
    superseding: Bool = true
  ) async throws -> QueryResult<Pages<Page, PageParam>> {
    try await fetchPage(.next, of: query, superseding: superseding)
  }

  /// Fetches the page before the first one, and waits for it.
  ///
  /// Otherwise this is the same as ``fetchNextPage(of:superseding:)``.
  ///
  /// - Parameters:
  ///   - query: The infinite query.
  ///   - superseding: Whether a running fetch over data is replaced; `false` joins it.
  /// - Returns: The result after the fetch.
  /// - Throws: The error of the page's fetch; ``QueryError/missingFetch(key:)``; ``QueryError/shutDown``.
  @discardableResult
  public nonisolated func fetchPreviousPage<Page, PageParam>(
    of query: InfiniteQuery<Page, PageParam>,
    superseding: Bool = true
  ) async throws -> QueryResult<Pages<Page, PageParam>> {
    try await fetchPage(.previous, of: query, superseding: superseding)
  }

  /// Returns the pages of a query: from the cache while they are fresh, otherwise fetched.
  ///
  /// There are fewer pages if the parameters end earlier. A running fetch is joined; it fetches as many pages
  /// as the call that started it requested.
  ///
  /// Later refetches of the key fetch this number of pages too, until an observer or another call brings a
  /// query for the key. Refetches of only the first page ignore the number.
  ///
  /// - Parameters:
  ///   - query: The infinite query.
  ///   - count: The number of pages to fetch if a fetch is needed; cached pages beyond it are
  ///     dropped.
  ///   - throwOnError: Whether an error is thrown where the query allows stale pages.
  /// - Returns: The pages.
  /// - Throws: The errors of ``fetch(_:timeout:throwOnError:)``.
  @discardableResult
  public nonisolated func fetch<Page, PageParam>(
    _ query: InfiniteQuery<Page, PageParam>,
    pages count: Int,
    throwOnError: Bool = false
  ) async throws -> Pages<Page, PageParam> {
    try await fetch(query, throwOnError ? .ifStaleOrThrow : .ifStale, setting: .pages(count))
      .value(as: Pages<Page, PageParam>.self)
  }

  /// Returns the pages of a query: from the cache at any age, otherwise fetched.
  ///
  /// - Parameters:
  ///   - query: The infinite query.
  ///   - count: The number of pages to fetch if there are none.
  /// - Returns: The pages.
  /// - Throws: The errors of ``fetch(_:timeout:throwOnError:)``.
  @discardableResult
  public nonisolated func ensure<Page, PageParam>(
    _ query: InfiniteQuery<Page, PageParam>,
    pages count: Int
  ) async throws -> Pages<Page, PageParam> {
    let box = try await fetch(query, .ifMissing, setting: .pages(count))
    return box.value(as: Pages<Page, PageParam>.self)
  }

  /// Prefetches pages if they are missing or stale; never throws.
  ///
  /// - Parameters:
  ///   - query: The infinite query.
  ///   - count: The number of pages to fetch if a fetch is needed; cached pages beyond it are
  ///     dropped.
  public nonisolated func prefetch<Page, PageParam>(
    _ query: InfiniteQuery<Page, PageParam>,
    pages count: Int
  ) async {
    _ = try? await fetch(query, .ifStale, setting: .pages(count))
  }

  private func fetchPage<Value>(
    _ direction: PageDirection,
    of query: Query<Value>,
    superseding: Bool
  ) async throws -> QueryResult<Value> {
    let (outcome, _) = try await fetchPage(direction, AnyQuery(query), superseding: superseding)
    if case .failure(let error) = outcome { throw error }
    return presentResult(query)
  }

  /// Fetches a page on a caller's request, and observes the fetch until it is settled.
  func fetchPage(
    _ direction: PageDirection,
    _ query: AnyQuery,
    superseding: Bool
  ) async throws -> (outcome: WaitOutcome, end: EntryEnd?) {
    guard mayFetchPage(direction, query, superseding: superseding) else { return (.settled, nil) }
    return try await refetchOne(
      query,
      part: FetchPart(direction),
      joining: EntryMachine.Joining(superseding: superseding)
    )
  }

  /// Begins to fetch a page on a caller's request, without waiting.
  func startFetchingPage(
    _ direction: PageDirection,
    for observer: ObserverID,
    _ query: AnyQuery,
    superseding: Bool
  ) {
    guard mayFetchPage(direction, query, superseding: superseding) else { return }
    startRefetchOne(
      for: observer,
      query,
      part: FetchPart(direction),
      joining: EntryMachine.Joining(superseding: superseding)
    )
  }

  /// Whether there is a page to fetch, or a fetch to join.
  private func mayFetchPage(
    _ direction: PageDirection,
    _ query: AnyQuery,
    superseding: Bool
  ) -> Bool {
    let (box, joins) = cache.read { state in
      (
        state.box(query.entryKey),
        !superseding && state.find(query.entryKey).map { !state.slots[$0].machine.isIdle } == true
      )
    }
    // A caller that joins a fetch requests no page.
    guard let box, !joins, let paging = query.definition.paging else { return true }
    return paging.hasPage(direction, box)
  }
}

extension QueryObserver where Value: PageSequenceValue {
  /// Fetches the page after the last one, and waits for it.
  ///
  /// - Parameter superseding: Whether a running fetch over data is replaced; `false` joins it.
  /// - Returns: The result after the fetch, with its error if it failed.
  /// - Throws: ``QueryError/missingFetch(key:)``; ``QueryError/shutDown``.
  @discardableResult
  public func fetchNextPage(superseding: Bool = true) async throws -> QueryResult<Value> {
    try await fetchPage(.next, superseding: superseding)
  }

  /// Fetches the page before the first one, and waits for it.
  ///
  /// - Parameter superseding: Whether a running fetch over data is replaced; `false` joins it.
  /// - Returns: The result after the fetch, with its error if it failed.
  /// - Throws: ``QueryError/missingFetch(key:)``; ``QueryError/shutDown``.
  @discardableResult
  public func fetchPreviousPage(superseding: Bool = true) async throws -> QueryResult<Value> {
    try await fetchPage(.previous, superseding: superseding)
  }

  /// Begins to fetch the page after the last one, without waiting, for buttons.
  ///
  /// Otherwise this is the same as ``fetchNextPage(superseding:)``; if that throws, nothing happens.
  ///
  /// - Parameter superseding: Whether a running fetch over data is replaced; `false` joins it.
  public func startFetchingNextPage(superseding: Bool = true) {
    startFetchingPage(.next, superseding: superseding)
  }

  /// Begins to fetch the page before the first one, without waiting, for buttons.
  ///
  /// Otherwise this is the same as ``fetchPreviousPage(superseding:)``; if that throws, nothing happens.
  ///
  /// - Parameter superseding: Whether a running fetch over data is replaced; `false` joins it.
  public func startFetchingPreviousPage(superseding: Bool = true) {
    startFetchingPage(.previous, superseding: superseding)
  }

  private func startFetchingPage(_ direction: PageDirection, superseding: Bool) {
    subscription.client.startFetchingPage(
      direction,
      for: subscription.id,
      askedQuery,
      superseding: superseding
    )
  }

  private func fetchPage(
    _ direction: PageDirection,
    superseding: Bool
  ) async throws -> QueryResult<Value> {
    let (_, end) = try await subscription.client.fetchPage(
      direction,
      askedQuery,
      superseding: superseding
    )
    return result(after: end)
  }
}
