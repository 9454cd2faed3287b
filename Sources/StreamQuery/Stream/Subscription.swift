import Synchronization

/// One observer of the cache, which a stream, an iterator or a handle retains.
///
/// It counts from its creation until it is cancelled or released.
@usableFromInline
package final class Subscription: Sendable {
  let client: QueryClient
  /// Cached: otherwise every observer would retain the same client at each look.
  private let cache: QueryCache
  let id: ConsumerID
  /// The value of ``QueryCache/news`` at its last look; a hint that spares consumers a lock that
  /// they all want at once.
  private let seenNews = Atomic<UInt64>(.max)
  /// The tasks that feed the query's own trigger streams into the client, with their id in
  /// `endings`.
  private let pumps = Mutex<Pumps?>(nil)
  /// Whether there ever were any: most subscriptions need not take the lock.
  private let isPumping = Atomic(false)

  /// What was observed, once the observation has ended.
  private let farewell = Mutex<Farewell?>(nil)

  private final class Pumps: Sendable {
    let tasks: TaskBag
    let ending: Int

    init(_ tasks: TaskBag, ending: Int) {
      self.tasks = tasks
      self.ending = ending
    }
  }

  init(client: QueryClient, id: ConsumerID) {
    self.client = client
    cache = client.cache
    self.id = id
  }

  /// Starts the trigger streams of a query in place of the former ones; none for an observer that
  /// has ended.
  func pump(_ triggers: [@Sendable () -> any AsyncSequence], into key: EntryKey) {
    let bag = TaskBag()
    let ending = triggers.isEmpty ? nil : client.endings.add { bag.cancel() }
    replacePumps(by: ending.map { Pumps(bag, ending: $0) })
    guard ending != nil else { return }
    isPumping.store(true, ordering: .releasing)
    // Checked after the store: if the observation ends meanwhile, its end finds what to cancel.
    guard cache.read({ $0.find(id) != nil }) else { return replacePumps(by: nil) }
    for trigger in triggers { bag.append(client.pump(trigger, into: key)) }
  }

  private func replacePumps(by new: Pumps?) {
    let old = pumps.withLock { pumps in
      let old = pumps
      pumps = new
      return old
    }
    guard let old else { return }
    client.endings.remove(old.ending)
    old.tasks.cancel()
  }

  deinit {
    // Nobody can look any more, so nothing is kept for a later look.
    client.turn(isDated: false, startsFetches: false) { state, turn in
      state.unsubscribe(id, &turn)
    }
    stopPumps()
  }

  /// Ends the observation; a second call does nothing.
  func cancel() {
    holding(self) {
      client.turn(isDated: false, startsFetches: false) { state, turn in
        // Stored before the end is announced: a consumer that is told looks at once.
        if let last = state.farewell(of: id) { farewell.withLock { $0 = last } }
        state.unsubscribe(id, &turn)
      }
      stopPumps()
    }
  }

  private func stopPumps() {
    if isPumping.load(ordering: .acquiring) { replacePumps(by: nil) }
  }

  /// The result of a look without a wait.
  enum Glance {
    case news(Frame, QueryFlags)
    case nothing
    case over
  }

  /// Takes the newest unseen snapshot, without a wait.
  ///
  /// Separate from ``wait(isolation:)``, because an asynchronous call costs more than the look
  /// itself.
  func takeUnlessCancelled() -> Glance {
    // Before the look: a cancelled consumer must end even if news never ends.
    if Task.isCancelled {
      cancel()
      return .over
    }
    return take()
  }

  private func take() -> Glance {
    let news = cache.news.load(ordering: .acquiring)
    guard seenNews.load(ordering: .relaxed) != news else { return .nothing }
    // Before the look: changes during it are news the next time.
    seenNews.store(news, ordering: .relaxed)
    return look()
  }

  private func look() -> Glance {
    switch cache.record({ $0.pull(id) }) {
    case .result(let frame, let flags): .news(frame, flags)
    case .ended: .over
    case .nothing: .nothing
    }
  }

  /// The newest unseen snapshot, as soon as there is one; `nil` at the end.
  ///
  /// A consumer that is cancelled while waiting leaves at once. One that was cancelled before gets
  /// nothing more, even if there is news. Either way the observation ends.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> (frame: Frame, flags: QueryFlags)? {
    switch takeUnlessCancelled() {
    case .news(let frame, let flags): (frame, flags)
    case .over: nil
    case .nothing: await wait(isolation: isolation)
    }
  }

  /// Waits for what ``takeUnlessCancelled()`` did not find.
  func wait(
    isolation: isolated (any Actor)? = #isolation
  ) async -> (frame: Frame, flags: QueryFlags)? {
    await withTaskCancellationHandler {
      // Captured, so that the closure stays on the caller's actor: otherwise each wait would hop.
      _ = isolation
      while true {
        await withUnsafeContinuation(isolation: isolation, park)
        switch lookAgain() {
        case .news(let frame, let flags): return (frame, flags)
        case .over: return nil
        case .nothing: break
        }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Suspends a task until there may be news.
  ///
  /// It looks again under the lock, so a wrong hint costs a round but no news.
  private func park(_ continuation: UnsafeContinuation<Void, Never>) {
    switch cache.record({ $0.park(id, .alone(continuation)) }) {
    case .parked: return client.consumerWaits(for: self.subject, self) { cancel() }
    case .parkedBesideAnother(let key):
      client.noteSharedStream(of: key)
      return client.consumerWaits(for: self.subject, self) { cancel() }
    case .news: break
    case .pointless(let fetch):
      client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
    continuation.resume()
  }

  private var subject: String {
    let key = cache.read { $0.farewell(of: id)?.key.key }
    return "news of \(key?.description ?? "a query")"
  }

  /// Looks after a wait.
  private func lookAgain() -> Glance {
    seenNews.store(cache.news.load(ordering: .acquiring), ordering: .relaxed)
    return look()
  }

  /// What the observer sees from now on, as a stream that holds the subscription.
  func stream<Value: Sendable>() -> AsyncStream<QueryResult<Value>> {
    AsyncStream(
      unfolding: {
        // The stream handles cancellations itself, below. The wait is here rather than in its own
        // function, because that asynchronous call would cost as much as the look.
        var glance = self.take()
        while true {
          switch glance {
          case .news(let frame, let flags): return QueryResult(frame: frame, flags: flags)
          case .over: return nil
          case .nothing:
            await withUnsafeContinuation(self.park)
            glance = self.lookAgain()
          }
        }
      },
      onCancel: { self.cancel() }
    )
  }

  /// The observer's present snapshot, seen or not; `nil` after the client's shutdown.
  ///
  /// After the observation has ended, it is what a new look at the same key would show, and `nil`
  /// if another key is asked for by now.
  ///
  /// - Parameters:
  ///   - key: The key that is asked for.
  ///   - end: The state to show if the subscription has ended and the entry is gone.
  /// - Returns: Frame and flags.
  func current(
    of key: EntryKey,
    after end: EntryEnd? = nil
  ) -> (frame: Frame, flags: QueryFlags)? {
    let farewell = farewell.withLock { $0 }.flatMap { $0.key == key ? $0 : nil }
    // Another key may be asked for since that fetch started.
    let end = end.flatMap { $0.frame.key == key ? $0 : nil }
    // A turn, so that staleness is judged at the present time.
    return client.turn(isDated: false, startsFetches: false) { state, _ in
      state.find(id).map { state.view($0) } ?? farewell.map { state.view($0, after: end) }
    }
  }
}
