import Synchronization

/// One observer's hold on the cache: what a stream, an iterator or a handle keeps.
///
/// It counts from its creation until it is cancelled or its last reference goes.
@usableFromInline
package final class Subscription: Sendable {
  let client: QueryClient
  /// The client's, at hand: all consumers would count their looks at the one reference else.
  private let cache: QueryCache
  let id: ConsumerID
  /// What of ``QueryCache/news`` it has looked at; a hint that spares consumers a look at a lock
  /// that they all want at once.
  private let seenNews = Atomic<UInt64>(.max)
  /// What feeds the query's own trigger streams into the client, and its name among the endings.
  private let pumps = Mutex<Pumps?>(nil)
  /// Whether there ever were any: most subscriptions need no look at the lock.
  private let isPumping = Atomic(false)

  /// What was asked for, once the observation has ended.
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

  /// Starts the trigger streams of a query, instead of those before; none for an observer that is
  /// over.
  func pump(_ triggers: [@Sendable () -> any AsyncSequence], into key: EntryKey) {
    let bag = TaskBag()
    let ending = triggers.isEmpty ? nil : client.endings.add { bag.cancel() }
    replacePumps(by: ending.map { Pumps(bag, ending: $0) })
    guard ending != nil else { return }
    isPumping.store(true, ordering: .releasing)
    // Looked at after the store: whoever ends the observation meanwhile finds what to cancel.
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
    // Nobody is left to look, so nothing is kept for a look.
    client.turn(isDated: false, startsFetches: false) { state, turn in
      state.unsubscribe(id, &turn)
    }
    stopPumps()
  }

  /// Ends the observation; a second time is a no-op.
  func cancel() {
    holding(self) {
      client.turn(isDated: false, startsFetches: false) { state, turn in
        // Kept before anybody hears of the end: who is told looks at once.
        if let last = state.farewell(of: id) { farewell.withLock { $0 = last } }
        state.unsubscribe(id, &turn)
      }
      stopPumps()
    }
  }

  private func stopPumps() {
    if isPumping.load(ordering: .acquiring) { replacePumps(by: nil) }
  }

  /// What a look without a wait finds.
  enum Glance {
    case news(Frame, QueryFlags)
    case nothing
    case over
  }

  /// Takes the newest snapshot that was not seen, without a wait.
  ///
  /// Apart from ``wait(isolation:)``, since an asynchronous call costs more than the look itself.
  func takeUnlessCancelled() -> Glance {
    // Before the look: where news never ends, a cancelled consumer must end all the same.
    if Task.isCancelled {
      cancel()
      return .over
    }
    return take()
  }

  private func take() -> Glance {
    let news = cache.news.load(ordering: .acquiring)
    guard seenNews.load(ordering: .relaxed) != news else { return .nothing }
    // Before the look: what comes during it is news the next time.
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

  /// The newest snapshot that was not seen, as soon as there is one; `nil` at the end.
  ///
  /// Whoever is cancelled while waiting leaves at once, whoever was cancelled before gets nothing
  /// more, news or not; the observation ends.
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
      // Captured, so that the closure stays on the caller's actor: each wait would hop else.
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

  /// Lets a task wait until there may be news.
  ///
  /// It looks again under the lock, so that a hint that was wrong costs a round, no news.
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
        // The stream hears of cancellations itself, and tells below. Waits here rather than in a
        // function of its own, whose asynchronous call would cost as much as the look.
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

  /// What the observer sees at present, seen or not; `nil` after the client's shutdown.
  ///
  /// After the observation ended it is what a new look at the same would show, and `nil` if something
  /// else is asked for by now.
  ///
  /// - Parameters:
  ///   - key: What is asked for.
  ///   - end: What is shown if the subscription is over and the entry is gone.
  /// - Returns: Frame and flags.
  func current(
    of key: EntryKey,
    after end: EntryEnd? = nil
  ) -> (frame: Frame, flags: QueryFlags)? {
    let farewell = farewell.withLock { $0 }.flatMap { $0.key == key ? $0 : nil }
    // Something else may be asked for since that fetch began.
    let end = end.flatMap { $0.frame.key == key ? $0 : nil }
    // A turn, so that staleness is as of now.
    return client.turn(isDated: false, startsFetches: false) { state, _ in
      state.find(id).map { state.view($0) } ?? farewell.map { state.view($0, after: end) }
    }
  }
}
