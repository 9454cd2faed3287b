/// What a fetch is told.
///
/// ```swift
/// Query("user", id) { context in
///   try await api.user(id, isRetry: context.attempt > 0)
/// }
/// ```
///
/// There is no abort signal: the fetch runs in a task, and that task is cancelled. It has the task-locals of
/// the caller whose call began the fetch, in each attempt; of nobody, where it began by itself, as after an
/// interval: <doc:WhereWorkRuns>.
public struct FetchContext: Sendable, _FreeOfActors {
  /// The key that is fetched.
  public let key: AnyQueryKey
  /// Why the fetch was started.
  public let cause: FetchCause
  /// Failed attempts before this one: 0 at first.
  public let attempt: Int
  /// The client that fetches.
  ///
  /// A fetch may read and write other keys with it, and await other fetches and mutations. Waiting in a
  /// fetch for the fetch's own key, directly or through other fetches, mutations and clients, throws
  /// ``QueryError/recursiveFetch(key:)``, or ``QueryError/recursiveMutation(key:)`` where a mutation would
  /// wait for it. A stream of the fetch's own key ends where it would wait, and
  /// ``QueryMisuse/streamInsideFetch(key:)`` is reported.
  public let client: QueryClient
  /// Facts that the query carries.
  public let meta: QueryMeta
  /// Which page the fetch adds; `nil` when it fetches the whole value, and for queries without pages.
  ///
  /// The first page of a query without data is the whole value, whichever page command asked for it.
  public var direction: PageDirection? {
    if let page { page.direction } else { job?.direction }
  }

  /// The data that is cached: what the fetch may ask the server about, or build upon.
  ///
  /// It lies below the optimistic changes of mutations, as it was fetched or written. Read it here rather
  /// than by ``client``, which shows those changes as well. If it is still good, throw ``NotModified``.
  ///
  /// ```swift
  /// let feed = Query<[String]>("feed") { context in
  ///   let known: [String] = context.previous() ?? []
  ///   return try await known + api.news(after: known.last)
  /// }
  /// ```
  ///
  /// The fetch of a page of an infinite query is given that page, as it is cached under the same
  /// parameter, and none for a page that is added; asked for `Pages`, it is given all of them. A streamed query that shows pending again is
  /// given what it took out of sight.
  ///
  /// - Parameter type: The type of the query's value, or of its pages; another one is reported to
  ///   ``QueryClient/Configuration/onMisuse``.
  /// - Returns: The data at this moment; `nil` without any.
  public func previous<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
    if let page, page.type == type { return page.cached?()?.value(as: Value.self) }
    guard let job else { return nil }
    guard job.plan.plan.valueType == type else {
      client.report(
        .previousOfOtherType(
          key: key.description,
          expected: job.plan.plan.valueTypeName,
          asked: String(reflecting: type)
        )
      )
      return nil
    }
    return client.cache.read { $0.kept(job.entry) }?.value(as: Value.self)
  }

  let job: FetchJob?
  /// What the fetch of a page is told of that page; `nil` for other fetches.
  var page: PageAsked?
}

/// The page that a fetch of pages asks for.
struct PageAsked: Sendable {
  /// Which page is added; `nil` if it is one of the whole value.
  var direction: PageDirection?
  /// The type of the page.
  var type: any Sendable.Type
  /// Finds the page that is cached under the same parameter; `nil` for a page that is added.
  var cached: (@Sendable () -> ValueBox?)?
}
