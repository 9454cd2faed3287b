/// The context of one attempt of a fetch.
///
/// ```swift
/// Query("user", id) { context in
///   try await api.user(id, isRetry: context.attempt > 0)
/// }
/// ```
///
/// There is no abort signal: the fetch runs in a task, and that task is cancelled. Each attempt has
/// the task-locals of the caller that started the fetch. A fetch that started by itself, for
/// example after an interval, has none: <doc:WhereWorkRuns>.
public struct FetchContext: Sendable, _FreeOfActors {
  /// The key that is fetched.
  public let key: AnyQueryKey
  /// Why the fetch was started.
  public let cause: FetchCause
  /// Failed attempts before this one: 0 at first.
  public let attempt: Int
  /// Facts that the query carries.
  public let meta: QueryMeta
  /// Which page the fetch adds; `nil` when it fetches the whole value, and for queries without pages.
  ///
  /// The first page of a query without data is the whole value, whichever page command asked for it.
  public var direction: PageDirection? {
    if let page { page.direction } else { job?.part.direction }
  }

  /// The fetch that the attempt is one of; ``QueryEvent/fetch`` names it in events.
  ///
  /// It is `nil` only if the context was made by hand, for a test.
  public var fetch: FetchIdentity? { job?.identity }

  let carriedClient: any CarriedClient
  let job: (any FetchWork)?
  /// The page that the fetch of a page asks for; `nil` for other fetches.
  var page: PageAsked?
}
