import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

nonisolated extension QueryClient {
  /// Refreshes stale entries within a time, beginning with those that are long stale and often used.
  ///
  /// Use it for a refresh in the background and for warming up. Entries are fetched as by ``prefetch(_:)``,
  /// at most ``Configuration/maxConcurrentFetches`` at a time, or six if that is `nil`. The query's own stale
  /// time decides whether an entry is stale. The refresh omits entries without a fetch, static entries,
  /// disabled entries, and unobserved entries that never had a result. It also omits endless streams that
  /// deliver, unless they are invalidated.
  ///
  /// A client with a ``CacheLimit`` counts the uses of entries, also with `CacheLimit()`, which bounds
  /// nothing. Without a limit, only observed entries count as used.
  ///
  /// ```swift
  /// let result = await client.refetchStale(within: .seconds(20))
  /// print("\(result.refreshed.count) refreshed, \(result.remaining.count) left")
  /// ```
  ///
  /// A fetch that is paused, or waits for its next attempt, does not count among the concurrent ones, and
  /// goes on beside them.
  ///
  /// When the time is over by the client's clock, or the caller is cancelled, this stops waiting and begins
  /// no more fetches. A fetch that nobody else wants ends as its query's ``AbandonmentPolicy`` says. A
  /// refresh without a limit waits for the network. An entry that is removed before its turn is not fetched.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - limit: The time that the refresh may take; zero or less fetches nothing.
  /// - Returns: The entries that were refreshed, that failed, and that remain.
  /// - Complexity: In addition to the fetches, that of a search of the cache with the filter, and
  ///   O(*n* log *n*) in the entries found.
  @discardableResult
  public nonisolated func refetchStale(
    _ filter: QueryFilter = .all,
    within limit: Duration
  ) async -> QueryRefresh {
    await refetchStale(within: TimeSpan(limit)) { client in
      await client.storesRead(of: filter)
      return client.staleEntries(filter)
    }
  }

  /// Refreshes stale entries until a date: see ``refetchStale(_:within:)-(QueryFilter,_)``.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - deadline: The date at which the refresh ends, by ``Configuration/wallClock``.
  /// - Returns: The entries that were refreshed, that failed, and that remain.
  /// - Complexity: In addition to the fetches, that of a search of the cache with the filter, and
  ///   O(*n* log *n*) in the entries found.
  @discardableResult
  public nonisolated func refetchStale(
    _ filter: QueryFilter = .all,
    until deadline: Date
  ) async -> QueryRefresh {
    await refetchStale(filter, within: time(until: deadline))
  }

  /// Refreshes the given queries, if they are stale or not cached, within a time.
  ///
  /// Use it in a process that has just begun, whose cache has no queries yet. The refresh waits for the
  /// stores of the queries first, so that stored data counts with its age. Otherwise this is the same as
  /// ``refetchStale(_:within:)-(QueryFilter,_)``. With `until:` you give a date instead of the time.
  ///
  /// - Parameters:
  ///   - queries: The queries; a missing one comes before a stale one if both are used as often.
  ///   - limit: The time that the refresh may take; zero or less fetches nothing.
  /// - Returns: The entries that were refreshed, that failed, and that remain.
  /// - Complexity: Beside the fetches, O(*n*²) comparisons of keys in the length of the list.
  @discardableResult
  public nonisolated func refetchStale(
    _ queries: [AnyQuery],
    within limit: Duration
  ) async -> QueryRefresh {
    let listed = queries.map { ($0.entryKey, $0.definition) }
    return await refetchStale(within: TimeSpan(limit), listed) { client in
      for query in queries where !Task.isCancelled { await client.bringIn(query) }
      return client.staleEntries(of: queries)
    }
  }

  /// Refreshes the given queries, if they are stale or not cached, until a date.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - deadline: The date at which the refresh ends, by ``Configuration/wallClock``.
  /// - Returns: The entries that were refreshed, that failed, and that remain.
  /// - Complexity: Beside the fetches, O(*n*²) comparisons of keys in the length of the list.
  @_documentation(visibility: internal)
  @discardableResult
  public nonisolated func refetchStale(
    _ queries: [AnyQuery],
    until deadline: Date
  ) async -> QueryRefresh {
    await refetchStale(queries, within: time(until: deadline))
  }

  private func time(until deadline: Date) -> Duration {
    let seconds = deadline.timeIntervalSince(configuration.wallClock())
    // NaN counts as zero. A time of more than a hundred years is shortened, so that the conversion cannot
    // trap.
    return seconds > 0 ? .seconds(min(seconds, 4e9)) : .zero
  }

  // MARK: Steps

  private func refetchStale(
    within limit: TimeSpan,
    _ listed: [(EntryKey, QueryDefinition)]? = nil,
    _ find: @escaping @Sendable (QueryClient) async -> [RefreshPlan.Candidate]
  ) async -> QueryRefresh {
    let run = Run()
    // From now on, an entry that is removed is not fetched.
    if let listed { noteRemovals(of: listed, in: run) }
    defer { for caller in run.callers.withLock({ $0 }).values { leaves(caller) } }
    let tasks = ParallelTasks<Void>(on: configuration.executor)
    // This is decided before the tasks begin, because a task that is cancelled at once may still begin.
    let isOver = limit == .zero || Task.isCancelled
    // These are not child tasks of the caller: `ParallelTasks` says why.
    tasks.addTask {
      let found = await find(self)
      if listed == nil {
        self.noteRemovals(of: found.map { ($0.key, $0.definition) }, in: run)
        self.cancelRemoved(found, in: run)
      }
      run.plan.withLock { $0 = RefreshPlan(found) }
      if isOver { return }
      let room = min(found.count, max(1, self.configuration.maxConcurrentFetches ?? 6))
      for _ in 0..<room { tasks.addTask { await self.refetchStale(run, in: tasks) } }
    }
    if isOver { tasks.cancel() }
    let deadline = isOver ? nil : deadlines.set(limit) { tasks.cancel() }
    _ = await tasks.values()
    deadline?.cancel()
    return run.plan.withLock { $0.result }
  }

  /// Refreshes the planned entries one after the other.
  ///
  /// The next entry is begun when no attempt of the fetch is running: a fetch that waits, for the network or
  /// a retry, goes on beside it.
  private func refetchStale(_ run: Run, in tasks: ParallelTasks<Void>) async {
    while !Task.isCancelled, let (index, candidate) = run.plan.withLock({ $0.next() }) {
      let start = await startRefresh(candidate, run)
      // Another task waits for the outcome, so that the next entry can begin. It is made even if the time is
      // over: its wait then ends at once, and gives up the claim to the fetch.
      tasks.addTask {
        let outcome = await self.outcome(of: start, candidate)
        run.plan.withLock { $0.fetchEnded(index, outcome) }
      }
    }
  }

  /// Begins a fetch, and waits for the end of the attempt that runs, but not for a retry.
  ///
  /// - Returns: The start of the fetch; `nil` if the task was cancelled or the entry removed before.
  private func startRefresh(_ candidate: RefreshPlan.Candidate, _ run: Run) async -> FetchStart? {
    let noted = run.callers.withLock { $0[candidate.key] }
    let start = try? await whenRestored(candidate.key, candidate.definition, for: noted) {
      beginFetch(candidate.key, candidate.definition, .ifStaleOrThrow, nil, for: $0)
    }
    if case .waiting(let caller)? = start,
      let watcher = transaction({ state, _ in state.watchAttempt(of: caller) })
    {
      _ = await watcher.outcome { self.left(watcher) }
    }
    return start
  }

  /// Counts the refresh as a caller that waits for each of the keys, so that a removal of a key cancels its
  /// caller.
  private func noteRemovals(of queries: [(EntryKey, QueryDefinition)], in run: Run) {
    var callers: [EntryKey: RestoringCaller] = [:]
    for (key, definition) in queries where callers[key] == nil {
      callers[key] = comes(for: key, definition)
    }
    run.callers.withLock { [callers] in $0 = callers }
  }

  /// Cancels the callers for entries that were removed since they were found, while their options were asked.
  private func cancelRemoved(_ found: [RefreshPlan.Candidate], in run: Run) {
    let removed = cache.read { state in
      found.filter { candidate in
        guard let index = state.find(candidate.key) else { return true }
        return candidate.version != nil && state.slots[index].machine.isRemoved
      }
    }
    let callers = run.callers.withLock { $0 }
    for candidate in removed { callers[candidate.key]?.cancel() }
  }

  private func outcome(
    of start: FetchStart?,
    _ candidate: RefreshPlan.Candidate
  ) async -> RefreshPlan.Outcome {
    guard let start else { return .remaining }
    if case .shutDown = start { return .remaining }
    switch try? await outcome(of: start, of: candidate.key).outcome {
    case .value: return hasMoved(candidate) ? .refreshed : .remaining
    case .cancelled, .settled: return .remaining
    // Every error is a failure, even a `CancellationError` that the fetch throws by itself.
    case .failure, nil: return .failed
    }
  }

  /// Whether the entry has other data than when its refresh was planned.
  ///
  /// If the data is the same, the fetch was cancelled, and its caller got the old data.
  private func hasMoved(_ candidate: RefreshPlan.Candidate) -> Bool {
    guard let version = candidate.version else { return true }
    let present = cache.read { state in
      state.find(candidate.key).map { state.dataVersion($0) }
    }
    return present != nil && present != version
  }

  /// Opens the store of a query, waits for it, and makes the query's entry if the store has data
  /// for it.
  private func bringIn(_ query: AnyQuery) async {
    guard let policy = query.definition.persistence ?? defaults.persistence, !policy.isOff,
      let persister = persisters.persister(for: policy)
    else { return }
    await persister.waitUntilRestored(policy, within: .infinite)
    _ = restoring(query.entryKey, query.definition)
  }

  private func staleEntries(of queries: [AnyQuery]) -> [RefreshPlan.Candidate] {
    let definitions = Dictionary(queries.map { ($0.entryKey, $0.definition) }) { first, _ in first }
    let cached = refreshable(.queries(queries), isListed: true) { definitions[$0] }
    let stale = Dictionary(cached.compactMap(\.candidate).map { ($0.key, $0) }) { one, _ in one }
    let known = Set(cached.map(\.key))
    var seen: Set<EntryKey> = []
    // The entries are in the order of the list.
    return queries.filter { seen.insert($0.entryKey).inserted }.compactMap { query in
      if known.contains(query.entryKey) { return stale[query.entryKey] }
      let resolved = resolve(query.entryKey, query.definition, defaults)
      let isEnabled = resolved.resolvedOptions { .absent(query.entryKey, resolved.meta) }.isEnabled
      return resolved.canFetch && isEnabled
        ? RefreshPlan.Candidate(key: query.entryKey, definition: query.definition) : nil
    }
  }

  func staleEntries(_ filter: QueryFilter) -> [RefreshPlan.Candidate] {
    refreshable(filter) { _ in nil }.compactMap(\.candidate)
  }

  /// The cached entries of a filter, with a candidate for each entry that has to be refreshed.
  ///
  /// This runs user code, so do not call it under the lock.
  private func refreshable(
    _ filter: QueryFilter,
    isListed: Bool = false,
    _ definition: (EntryKey) -> QueryDefinition?
  ) -> [(key: EntryKey, candidate: RefreshPlan.Candidate?)] {
    let now = cache.now(isDated: false).instant
    let found = search(filter, wantsInfo: true) { state, index, _ in
      state.refreshable(index, isListed: isListed)
    }
    return found.compactMap { finding in
      guard let info = finding.info else { return nil }
      let key = info.entryKey
      guard let (own, uses, updatedAt, version) = finding.item else { return (key, nil) }
      guard let query = definition(key).map({ resolve(key, $0, defaults) }) ?? own?.resolved,
        query.canFetch
      else { return (key, nil) }
      let options = query.resolvedOptions { info }
      // An observer may be enabled while the query is not.
      guard options.isEnabled || info.isActive else { return (key, nil) }
      let freshness = options.freshness
      var candidate = RefreshPlan.Candidate(key: key, definition: query.definition)
      candidate.uses = uses
      candidate.isObserved = info.isActive
      guard let updatedAt else { return (key, candidate) }
      candidate.version = version
      let isInvalidated = info.isInvalidated || info.isPart
      guard case .after(let span) = freshness,
        freshness.isStale(updatedAt: updatedAt, isInvalidated: isInvalidated, at: now)
      else { return (key, nil) }
      let age = max(0, now.nanoseconds - updatedAt.nanoseconds)
      let freshTime = isInvalidated ? 0 : span.nanoseconds
      candidate.overdue = TimeSpan(.nanoseconds(max(0, age - freshTime)))
      return (key, candidate)
    }
  }
}

/// The state that the tasks of a refresh share.
private final class Run: Sendable {
  let plan = Mutex(RefreshPlan([]))
  /// The keys, each with the caller that is cancelled when the key is removed.
  let callers = Mutex<[EntryKey: RestoringCaller]>([:])
}
