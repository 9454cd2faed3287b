import Synchronization

/// A fetch at work: what its attempts need, and the handle of the task that runs them.
///
/// The machine knows a fetch by its number; this is the number's other half, in the shell.
final class FetchJob: FetchWork, Sendable {
  let entry: EntryID
  let id: FetchID
  let key: EntryKey
  let plan: ResolvedPlan
  let fetch: QueryPlan.Fetch
  /// Whether a caller waits in person: such fetches retry only if told to.
  let isImperative: Bool
  /// Whose plan says how to retry, if the fetch was begun anew; `nil` is its own.
  let retryPlan: ResolvedPlan?
  let cause: FetchCause
  let startedAt: Timestamp
  let direction: PageDirection?
  /// How many pages to load; `nil` is as many as there are.
  let pageCount: Int?
  /// Whether the caller asked for so many pages, rather than one before it.
  let isPageCountOwn: Bool
  /// The tasks of its attempts.
  let tasks: TaskChain
  /// How far earlier attempts got: a retry goes on where they failed.
  let progress = Mutex<(any FetchProgress)?>(nil)
  /// Joins what was fetched with the data that is cached when it lands, so that no update is lost.
  ///
  /// Asked outside the lock, and again if the data moved on.
  let joining = Mutex<(@Sendable (_ present: ValueBox?) -> ValueBox?)?>(nil)

  init(
    cache: UInt64,
    entry: EntryID,
    id: FetchID,
    key: EntryKey,
    plan: ResolvedPlan,
    fetch: @escaping QueryPlan.Fetch,
    isImperative: Bool,
    retryPlan: ResolvedPlan?,
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
    self.plan = plan
    self.fetch = fetch
    self.isImperative = isImperative
    self.retryPlan = retryPlan
    self.cause = cause
    self.startedAt = startedAt
    self.direction = direction
    self.pageCount = pageCount
    self.isPageCountOwn = isPageCountOwn
  }

  /// Made only when an attempt has failed: most never do.
  var retry: RetryPolicy {
    let plan = retryPlan ?? plan
    return isImperative ? plan.imperativeRetry : plan.retry
  }

  /// Whether the fetch goes on to its end when nobody wants it.
  var isFinishing: Bool {
    plan.terms.abandonment == .finish
  }

  /// Takes over what serves a fetch that is begun anew.
  func beginsAnew(_ former: FetchJob) {
    if let progress = former.progress.withLock({ $0 })?.restarted() { keep(progress) }
  }

  /// Keeps how far the fetch got, for its next attempt.
  func keep(_ progress: any FetchProgress) {
    // What was kept before may be the last to hold values of the user's: it goes outside the lock.
    let old = self.progress.withLock { present in
      let old = present
      present = progress
      return old
    }
    _ = old
  }
}

extension FetchContext {
  /// The fetch that the context is of; `nil` for a context that a test made.
  var fetchJob: FetchJob? { job as? FetchJob }
}
