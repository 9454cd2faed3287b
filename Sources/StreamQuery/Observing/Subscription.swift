import Synchronization

/// One observer of the cache, retained by a stream, an iterator or a handle.
///
/// Its entry counts the observer from the creation of this object until ``cancel()`` or the release of the
/// object.
@usableFromInline
package final class Subscription: Sendable {
  let client: QueryClient
  /// The cache of the client, stored because each read would otherwise retain the client.
  ///
  /// The cache lives for as long as the client does, so no reference to it is counted.
  private let unownedCache: Unmanaged<QueryCache>
  private var cache: QueryCache { client.cache }
  let id: ObserverID
  /// The value of ``QueryCache/news`` when the observer last read the cache.
  ///
  /// While the cache still has this value, nothing has changed, and the observer need not take the lock.
  private let seenNews = Atomic<UInt64>(.max)
  private let aside = Mutex<Aside?>(nil)
  /// Whether the query ever had trigger streams.
  ///
  /// Most queries have none, and then the end of the subscription need not lock ``aside``.
  private let hasForwarded = Atomic(false)

  /// The state that few subscriptions have, in one word.
  private enum Aside {
    case forwarding(Forwarders)
    /// The last query and options, after the observation has ended.
    case ended(DetachedObserver)
  }

  /// The tasks that feed the query's own trigger streams into the client, with their id in
  /// `shutdownHandlers`.
  private final class Forwarders: Sendable {
    let tasks: TaskBag
    let ending: Int

    init(_ tasks: TaskBag, ending: Int) {
      self.tasks = tasks
      self.ending = ending
    }
  }

  init(client: QueryClient, id: ObserverID) {
    self.client = client
    unownedCache = .passUnretained(client.cache)
    self.id = id
  }

  /// Starts the trigger streams of a query in place of the former ones, unless the observation has
  /// ended.
  func forward(_ triggers: [DefinitionExtras.TriggerSource], into key: EntryKey) {
    let bag = TaskBag()
    let ending = triggers.isEmpty ? nil : client.shutdownHandlers.add { bag.cancel() }
    replaceForwarders(by: ending.map { Forwarders(bag, ending: $0) })
    guard ending != nil else { return }
    hasForwarded.store(true, ordering: .releasing)
    // This is checked after the streams are stored: if the observation ends from now on, its end
    // finds and cancels them.
    guard cache.read({ $0.find(id) != nil }) else { return replaceForwarders(by: nil) }
    for trigger in triggers { bag.append(client.forward(trigger, into: key)) }
  }

  private func replaceForwarders(by new: Forwarders?) {
    let old = aside.withLock { aside -> Forwarders? in
      switch aside {
      case .ended: return new
      case .forwarding(let old):
        aside = new.map(Aside.forwarding)
        return old
      case nil:
        aside = new.map(Aside.forwarding)
        return nil
      }
    }
    stop(old)
  }

  private func stop(_ forwarders: Forwarders?) {
    guard let forwarders else { return }
    client.shutdownHandlers.remove(forwarders.ending)
    forwarders.tasks.cancel()
  }

  /// The last query and options, if the observation has ended.
  private var detached: DetachedObserver? {
    aside.withLock { if case .ended(let last) = $0 { last } else { nil } }
  }

  /// Stores the last query and options, because the observation ends.
  ///
  /// - Returns: The tasks of trigger streams, to stop after the cache's lock is released.
  private func detach(_ last: DetachedObserver) -> Forwarders? {
    aside.withLock { aside in
      defer { aside = .ended(last) }
      if case .forwarding(let forwarders) = aside { return forwarders }
      return nil
    }
  }

  deinit {
    // No code can read this observer any more, so its last state is not kept. The client lives for as long as
    // this object does, so it is not retained here: retaining takes long for an object with weak references.
    Unmanaged.passUnretained(client)._withUnsafeGuaranteedRef { client in
      client.transaction(isDated: false) { state, transaction in
        state.unsubscribe(id, &transaction)
      }
    }
    stopForwarders()
  }

  /// Ends the observation; a second call does nothing.
  func cancel() {
    holding(self) {
      let forwarders = client.transaction(isDated: false) {
        state,
        transaction -> Forwarders? in
        // The last state is stored before the end is announced, because an observer that learns of the end
        // reads it at once.
        let forwarders = state.detached(of: id).flatMap(detach)
        state.unsubscribe(id, &transaction)
        return forwarders
      }
      stop(forwarders)
      stopForwarders()
    }
  }

  private func stopForwarders() {
    if hasForwarded.load(ordering: .acquiring) { replaceForwarders(by: nil) }
  }

  /// The state of the fetch of the observed entry.
  var fetchStatus: FetchStatus {
    cache.read { state in state.find(id).map { state.fetchStatus(for: $0) } ?? .idle }
  }

  /// Lets the running fetch go on for a duration after the end of the observation.
  func linger(_ duration: Duration) {
    // Usually no fetch runs, and a read costs less than a transaction.
    if fetchStatus != .idle { client.linger(duration, after: id) }
  }

  /// Takes the newest unseen snapshot, without a wait.
  ///
  /// This is not a part of ``waitForNews(isolation:)``, because an asynchronous call costs more than the
  /// read.
  func takeUnlessCancelled() -> Poll<(snapshot: EntrySnapshot, flags: QueryFlags)> {
    // This is checked before the read: a cancelled observer must end even if there is always news.
    if Task.isCancelled {
      cancel()
      return .over
    }
    return poll()
  }

  private func poll() -> Poll<(snapshot: EntrySnapshot, flags: QueryFlags)> {
    let news = unownedCache._withUnsafeGuaranteedRef { $0.news.load(ordering: .acquiring) }
    guard seenNews.load(ordering: .relaxed) != news else { return .nothing }
    // The number is stored before the read, so that changes during the read are news the next time.
    seenNews.store(news, ordering: .relaxed)
    return pollCache()
  }

  private func pollCache() -> Poll<(snapshot: EntrySnapshot, flags: QueryFlags)> {
    unownedCache._withUnsafeGuaranteedRef { cache in cache.record { $0.poll(id) } }
  }

  /// The newest unseen snapshot, as soon as there is one; `nil` at the end.
  ///
  /// An observer that is cancelled during the wait leaves at once. An observer that was cancelled
  /// before gets no snapshot, even if there is news. In both cases the observation ends.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> (snapshot: EntrySnapshot, flags: QueryFlags)? {
    switch takeUnlessCancelled() {
    case .news(let news): news
    case .over: nil
    case .nothing: await waitForNews(isolation: isolation)
    }
  }

  /// Waits for news, after ``takeUnlessCancelled()`` found none.
  func waitForNews(
    isolation: isolated (any Actor)? = #isolation
  ) async -> (snapshot: EntrySnapshot, flags: QueryFlags)? {
    await withTaskCancellationHandler {
      // The closure captures the isolation, so that it stays on the caller's actor; otherwise each
      // wait would switch executors.
      _ = isolation
      while true {
        await SuspendedTask.suspend(isolation: isolation, park)
        switch lookAgain() {
        case .news(let news): return news
        case .over: return nil
        case .nothing: break
        }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Suspends a task until there is news.
  ///
  /// This reads again under the lock. So if ``seenNews`` is outdated, that costs another read, but no news is
  /// lost.
  ///
  /// - Parameter task: The task.
  /// - Returns: `nil` if the task has to wait; a value if there is news, or if the observation has ended.
  private func park(_ task: SuspendedTask<Void>) -> Void? {
    switch cache.record({ $0.park(id, task) }) {
    case .suspended: break
    case .suspendedBesideAnother(let key): client.noteSharedStream(of: key)
    case .news: return ()
    case .ownFetch(let fetch):
      client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
      return ()
    }
    client.observerWaits(for: self.subject, self) { cancel() }
    return nil
  }

  private var subject: String {
    let key = cache.read { $0.detached(of: id)?.key.key }
    return "news of \(key?.description ?? "a query")"
  }

  /// Reads the cache again after a wait.
  private func lookAgain() -> Poll<(snapshot: EntrySnapshot, flags: QueryFlags)> {
    seenNews.store(cache.news.load(ordering: .acquiring), ordering: .relaxed)
    return pollCache()
  }

  /// The snapshots that the observer sees from now on, as a stream that holds the subscription.
  func stream<Value: Sendable>() -> AsyncStream<QueryResult<Value>> {
    AsyncStream(
      unfolding: {
        // The stream handles cancellations itself, below. The wait is inlined, because an asynchronous call
        // would cost as much as the read.
        var outcome = self.poll()
        while true {
          switch outcome {
          case .news(let news): return QueryResult(snapshot: news.snapshot, flags: news.flags)
          case .over: return nil
          case .nothing:
            await SuspendedTask.suspend(self.park)
            outcome = self.lookAgain()
          }
        }
      },
      onCancel: { self.cancel() }
    )
  }

  /// The observer's present snapshot, seen or unseen; `nil` after the client's shutdown.
  ///
  /// After the end of the observation, this reads the entry as a call without an observer does. It is `nil`
  /// if the handle has another key than the one that was observed.
  ///
  /// - Parameters:
  ///   - key: The key of the handle.
  ///   - end: The state to show if the subscription has ended and the entry is gone.
  /// - Returns: The snapshot and its flags.
  func current(
    of key: EntryKey,
    after end: EntryEnd? = nil
  ) -> (snapshot: EntrySnapshot, flags: QueryFlags)? {
    let detached = detached.flatMap { $0.key == key ? client.askedAgain($0) : nil }
    // The handle may have another key by now than when the fetch was started, so `end` may be of another
    // entry.
    let end = end.flatMap { $0.snapshot.key == key ? $0 : nil }
    // This is a transaction, so that data counts as stale by the present time.
    return client.transaction(isDated: false) { state, _ in
      state.find(id).map { state.shownSnapshot($0) } ?? detached.map { state.view($0, after: end) }
    }
  }
}
