/// What a fetch is told.
///
/// ```swift
/// Query("user", id) { context in
///   try await api.user(id, isRetry: context.attempt > 0)
/// }
/// ```
///
/// There is no abort signal: the fetch runs in a task, and that task is cancelled.
public struct FetchContext: Sendable {
  /// The key that is fetched.
  public let key: AnyQueryKey
  /// Why the fetch was started.
  public let cause: FetchCause
  /// Failed attempts before this one: 0 at first.
  public let attempt: Int
  /// The client that fetches.
  ///
  /// A fetch may read and write other keys with it, and await other fetches. Waiting in a fetch for
  /// the fetch's own key, directly or through others, throws ``QueryError/recursiveFetch(key:)``.
  public let client: QueryClient
  /// Facts that the query carries.
  public let meta: QueryMeta
  /// Which page the fetch adds; `nil` when it fetches the whole value, and for queries without pages.
  public var direction: PageDirection? { job?.direction }

  let job: FetchJob?
}
