import Synchronization

/// A fetch in flight: what its attempts need, and the handle of the task that runs them.
///
/// The machine knows a fetch by its number; this is the shell's object for that number.
final class FetchJob: FetchWork, Sendable {
  let entry: EntryID
  let id: FetchID
  let key: EntryKey
  let query: ResolvedQuery
  let fetch: QueryDefinition.Fetch
  /// Whether an imperative call started it: such fetches retry only if told to.
  let isImperative: Bool
  /// The plan that says how to retry, if the fetch was restarted; `nil` means its own.
  let retryQuery: ResolvedQuery?
  let cause: FetchCause
  let startedAt: Timestamp
  let direction: PageDirection?
  /// How many pages to fetch; `nil` means as many as are cached.
  let pageCount: Int?
  /// Whether this caller asked for that number of pages, rather than an earlier one.
  let isPageCountOwn: Bool
  /// The tasks of its attempts.
  let tasks: TaskChain
  /// How far earlier attempts got: a retry continues where they failed.
  let progress = Mutex<(any FetchProgress)?>(nil)
  /// Joins the fetched value with the data that is cached when it lands, so that no update is lost.
  ///
  /// Runs outside the lock, and again if the data changed.
  let joining = Mutex<(@Sendable (_ present: ValueBox?) -> ValueBox?)?>(nil)

  init(
    cache: UInt64,
    entry: EntryID,
    id: FetchID,
    key: EntryKey,
    query: ResolvedQuery,
    fetch: @escaping QueryDefinition.Fetch,
    isImperative: Bool,
    retryQuery: ResolvedQuery?,
    cause: FetchCause,
    startedAt: Timestamp,
    direction: PageDirection?,
    pageCount: Int?,
    isPageCountOwn: Bool
  ) {
    self.entry = entry
    tasks = TaskChain(of: .fetch(cache: cache, entry: entry))
    self.id = id
    self.key = key
    self.query = query
    self.fetch = fetch
    self.isImperative = isImperative
    self.retryQuery = retryQuery
    self.cause = cause
    self.startedAt = startedAt
    self.direction = direction
    self.pageCount = pageCount
    self.isPageCountOwn = isPageCountOwn
  }

  /// Computed only when an attempt has failed: most never do.
  var retry: RetryPolicy {
    let query = retryQuery ?? query
    return isImperative ? query.imperativeRetry : query.retry
  }

  /// Whether the fetch continues to its end when nobody wants it.
  var isFinishing: Bool {
    query.fetchOptions.abandonment == .finish
  }

  /// Takes over the progress that a restarted fetch can use.
  func beginsAnew(_ former: FetchJob) {
    if let progress = former.progress.withLock({ $0 })?.restarted() { keep(progress) }
  }

  /// Keeps how far the fetch got, for its next attempt.
  func keep(_ progress: any FetchProgress) {
    // The former progress may hold the last reference to user values: it is released outside the
    // lock.
    let old = self.progress.withLock { present in
      let old = present
      present = progress
      return old
    }
    _ = old
  }
}

extension FetchContext {
  /// The fetch to which the context belongs; `nil` for a context that a test made.
  var fetchJob: FetchJob? { job as? FetchJob }
}
