import Synchronization

/// A fetch in flight: what its attempts need, and the handle of the task that runs them.
///
/// The machine knows a fetch by its number; this is the shell's object for that number.
final class FetchJob: FetchWork, Sendable {
  let entry: EntryID
  let id: FetchID
  let key: EntryKey
  let query: StoredQuery
  /// Whether an imperative call started it: such fetches retry only if told to.
  let isImperative: Bool
  /// The query that says how to retry, if the fetch was restarted; `nil` means its own.
  let retryQuery: StoredQuery?
  let cause: FetchCause
  let startedAt: Timestamp
  /// Its place among what happens while imports run; 0 if it started before.
  let place: UInt64
  let part: FetchPart
  /// What a caller said about how to fetch; `nil` if nothing.
  let setting: FetchSetting?
  /// Whether the caller that started the fetch said so, rather than an earlier one.
  let isSettingOwn: Bool
  /// The tasks of its attempts.
  let tasks: TaskChain
  /// What was asked of the fetch.
  let demand: FetchDemand
  /// What the attempts said about their answers; made when the first says or is asked something.
  private let slot = Mutex<AnswerSlot?>(nil)
  /// How far the attempts got: a retry continues where they failed.
  let progress = Mutex<(any FetchProgress)?>(nil)

  init(
    cache: UInt64,
    entry: EntryID,
    id: FetchID,
    key: EntryKey,
    query: StoredQuery,
    isImperative: Bool,
    retryQuery: StoredQuery?,
    cause: FetchCause,
    demand: FetchDemand = .fresh,
    startedAt: Timestamp,
    place: UInt64 = 0,
    part: FetchPart,
    setting: FetchSetting?,
    isSettingOwn: Bool
  ) {
    self.entry = entry
    tasks = TaskChain(of: .fetch(cache: cache, entry: entry))
    self.id = id
    self.key = key
    self.query = query
    self.isImperative = isImperative
    self.retryQuery = retryQuery
    self.cause = cause
    self.demand = demand
    self.startedAt = startedAt
    self.place = place
    self.part = part
    self.setting = setting
    self.isSettingOwn = isSettingOwn
  }

  var identity: FetchIdentity {
    FetchIdentity(client: tasks.work.cache, entry: entry.generation, number: id.rawValue)
  }

  /// What the attempts said about their answers; `nil` if nobody said or asked anything, as of most
  /// fetches.
  var saidAnswer: AnswerSlot? { slot.withLock { $0 } }

  /// Where somebody says something about the answer, or asks for it later.
  var answer: AnswerSlot {
    if let present = saidAnswer { return present }
    let made = AnswerSlot()
    return slot.withLock { present in
      let answer = present ?? made
      present = answer
      return answer
    }
  }

  /// Whether the fetch continues to its end when nobody wants it.
  var isFinishing: Bool {
    query.fetchOptions.abandonment == .finish
  }

  /// Takes over the progress that a restarted fetch can use.
  func takeProgress(of former: FetchJob) {
    if let progress = former.progress.withLock({ $0 })?.restarted() { keep(progress) }
  }

  /// The progress that joins the fetched value with the cached data; `nil` if the value lands as it
  /// is.
  var joining: (any FetchProgress)? {
    progress.withLock { $0?.joins == true ? $0 : nil }
  }

  /// Whether the next attempt goes on with what earlier ones got.
  var keepsPart: Bool { progress.withLock { $0?.isKeptForRetry == true } }

  /// Keeps how far the fetch got, for its next attempt.
  func keep(_ progress: any FetchProgress) { goBack(to: progress) }

  /// Forgets how far the fetch got since it was somewhere; `nil` is its beginning.
  func goBack(to progress: (any FetchProgress)?) {
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
