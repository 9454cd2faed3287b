/// The context of one attempt of a fetch.
///
/// ```swift
/// Query("users", id) { context in
///   try await api.user(id, isRetry: context.attempt > 0)
/// }
/// ```
///
/// There is no abort signal: a cancellation cancels the task in which the fetch runs. Each attempt has the
/// task-locals of the caller that started the fetch. A fetch that started by itself, for example after an
/// interval, has none: <doc:Networking#Task-locals-and-priority>.
public struct FetchContext: Sendable, _FreeOfActors {
  /// The key that is fetched.
  public let key: AnyQueryKey
  /// Why the fetch was started.
  public let cause: FetchCause
  /// The number of the attempt among all attempts of its fetch, from 0.
  ///
  /// Each attempt has its own ordinal. Two attempts may have the same ``attempt``, because an endless stream
  /// that has delivered for long counts its failures from 0 again.
  let ordinal: UInt32
  /// The number of failed attempts before this one: 0 at first.
  public let attempt: Int
  /// The metadata that the query was given with its `meta` option.
  public let meta: QueryMeta
  /// The end at which the fetch adds a page; `nil` when it fetches the whole value, and for queries without
  /// pages.
  ///
  /// If the query has no data, each page command fetches the first page as the whole value, and this is
  /// `nil`.
  public var direction: PageDirection? {
    if let page { page.direction } else { job?.part.direction }
  }

  /// The fetch to which the attempt belongs; ``QueryEvent/fetch`` names it in events.
  ///
  /// It is `nil` only if the context was made by hand, for a test.
  public var fetch: FetchIdentity? { job?.identity }

  let carriedClient: any CarriedClient
  let job: (any FetchWork)?
  /// The page that this call requests; `nil` for queries without pages.
  var page: PageAsked?
}

/// The fetch to which a context belongs.
protocol FetchWork: AnyObject, Sendable {
  var entry: EntryID { get }
  var identity: FetchIdentity { get }
  var query: StoredQuery { get }
  var part: FetchPart { get }
}

/// The page that a fetch of pages requests.
struct PageAsked: Sendable {
  /// The direction in which the page is added; `nil` if it is a page of the whole value.
  var direction: PageDirection?
  /// The type of the page.
  var type: any Sendable.Type
  /// Finds the page that is cached under the same parameter; `nil` for a page that is added.
  var cached: (@Sendable () -> ValueBox?)?
}

/// The end at which a fetch adds a page to an infinite query.
public enum PageDirection: String, Hashable, Codable, Sendable {
  /// The page after the last one.
  case next
  /// The page before the first one.
  case previous
}
