import Synchronization

/// The client's object for a fetch in flight: the facts that the attempts need, and the handle of
/// the task that runs them.
///
/// The entry's machine knows the fetch only by its number.
final class FetchJob: FetchWork, Sendable {
  let entry: EntryID
  let id: FetchID
  let key: EntryKey
  let query: StoredQuery
  /// Whether a caller started the fetch and waits for it: such a fetch retries only if an option
  /// says so.
  let isImperative: Bool
  /// The query with the retry policy that applies, if the fetch was restarted; `nil` means ``query``.
  let retryQuery: StoredQuery?
  let cause: FetchCause
  let startedAt: Timestamp
  /// The position of the fetch's start among the events that a running import puts in order; 0 without an
  /// import.
  let sequence: UInt64
  let part: FetchPart
  /// The caller's setting for how to fetch; `nil` if there is none.
  let setting: FetchSetting?
  /// Whether the setting is from the caller that started the fetch, and not from an earlier one.
  let isSettingOwn: Bool
  /// The tasks of the fetch's attempts.
  let tasks: TaskChain
  /// How new the answer must be.
  let demand: FetchDemand
  /// The slot for the age of the answer; made when it is first used.
  private let slot = Mutex<AnswerSlot?>(nil)
  /// The progress of the attempts, from which a retry continues.
  let progress = Mutex<(any FetchProgress)?>(nil)
  /// The number of attempts that are over; it changes under the lock of `progress`.
  private let overCount = Atomic<UInt32>(0)

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
    sequence: UInt64 = 0,
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
    self.sequence = sequence
    self.part = part
    self.setting = setting
    self.isSettingOwn = isSettingOwn
  }

  var identity: FetchIdentity {
    FetchIdentity(client: tasks.work.cache, entry: entry.generation, number: id.rawValue)
  }

  /// The same slot as ``answer``; `nil` if nobody used it so far, as in most fetches.
  var saidAnswer: AnswerSlot? { slot.withLock { $0 } }

  /// The slot in which the fetch reports the age of its answer; created at its first use.
  var answer: AnswerSlot {
    if let present = saidAnswer { return present }
    let made = AnswerSlot()
    return slot.withLock { present in
      let answer = present ?? made
      present = answer
      return answer
    }
  }

  /// Whether the fetch continues to its end when nobody wants it; `false` after a removal of its entry.
  var isFinishing: Bool {
    query.fetchOptions.abandonment == .finish && presentAttempt != Self.removed
  }

  /// Takes over the progress of the fetch that this fetch restarts, as far as it is not outdated.
  func takeProgress(of former: FetchJob) {
    if let progress = former.progress.withLock({ $0 })?.restarted() {
      keep(progress, by: presentAttempt)
    }
  }

  /// The progress that joins the fetched value with the cached data; `nil` if the value is cached as it is.
  var joining: (any FetchProgress)? {
    progress.withLock { $0?.joins == true ? $0 : nil }
  }

  /// Whether the next attempt continues from the progress of earlier ones.
  var keepsPart: Bool { progress.withLock { $0?.isKeptForRetry == true } }

  /// Keeps the progress of an attempt for the next one, unless the attempt is over.
  ///
  /// - Parameters:
  ///   - progress: The progress; with `nil`, the next attempt starts from the beginning.
  ///   - attempt: The attempt, as ``FetchContext/ordinal`` numbers it.
  /// - Returns: Whether the attempt goes on; if not, nothing is kept.
  @discardableResult
  func keep(_ progress: (any FetchProgress)?, by attempt: UInt32) -> Bool {
    let (unneeded, isKept) = self.progress.withLock { present -> ((any FetchProgress)?, Bool) in
      guard !refuses(attempt) else { return (progress, false) }
      let former = present
      present = progress
      return (former, true)
    }
    // The former progress may hold the last reference to users' values, so it is released outside
    // the lock.
    _ = unneeded
    return isKept
  }

  // MARK: Attempts that are over

  /// The value of `overCount` after the removal of the entry; no attempt has this ordinal.
  private static var removed: UInt32 { .max }

  /// Refuses all that the fetch still does, because its entry was removed.
  func entryWasRemoved() {
    progress.withLock { _ in overCount.store(Self.removed, ordering: .releasing) }
  }

  /// The ordinal of the present attempt or, between attempts, of the next one.
  var presentAttempt: UInt32 { overCount.load(ordering: .acquiring) }

  /// Whether an attempt is over, so that nothing that it still does has an effect on the fetch.
  ///
  /// Code of an attempt may still run during the next attempt: it may ignore the cancellation by its
  /// timeout, or a ``FetchCompanion`` may have returned without waiting for it.
  func refuses(_ attempt: UInt32) -> Bool { presentAttempt != attempt }

  /// Refuses all that an attempt still does, because it has failed; a second call does nothing.
  ///
  /// This is called before the failure is applied. So a part that the failed attempt still reports does not
  /// count as one of the next attempt, and the progress from which the next attempt continues does not
  /// change any more.
  func refuse(_ attempt: UInt32) {
    progress.withLock { _ in
      _ = overCount.compareExchange(
        expected: attempt,
        desired: attempt &+ 1,
        ordering: .acquiringAndReleasing
      )
    }
  }
}
