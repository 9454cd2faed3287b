nonisolated extension QueryClient {
  /// Reports to tests that the present task waits; `nil` in an app, where nobody observes waits.
  ///
  /// - Parameters:
  ///   - text: The cause of the wait, in words.
  ///   - onLeave: Called when the caller is cancelled.
  /// - Returns: The wait; it ends when this object is released.
  @inline(__always)
  func reportWait(
    for text: @autoclosure @escaping @Sendable () -> String,
    onLeave: @escaping @Sendable () -> Void
  ) -> CallerWait? {
    observed(text()).map { CallerWait($0, onLeave: onLeave) }
  }

  /// The value with which tests report that the present task waits; `nil` in an app, where nobody
  /// observes waits.
  @inline(__always)
  func observed(_ text: @autoclosure @escaping @Sendable () -> String) -> WaitSubject? {
    WaitObservation.hasBegun ? subject(text) : nil
  }

  /// Reports that an observer of a stream is suspended.
  @inline(__always)
  func observerWaits(
    for text: @autoclosure @escaping @Sendable () -> String,
    _ owner: any AnyObject & Sendable,
    leave: () -> Void
  ) {
    guard WaitObservation.hasBegun, let subject = subject(text) else { return }
    if subject.isElsewhere {
      subject.tellElsewhere(owner)
    } else {
      subject.observer.observerWaits(for: subject.text, leave: leave)
    }
  }

  /// Tells a simulation that code in it observes this client, which is not part of the simulation.
  @inline(__always)
  func observerBegins(
    for text: @autoclosure @escaping @Sendable () -> String,
    _ owner: any AnyObject & Sendable
  ) {
    guard let subject = subject(text), subject.isElsewhere else { return }
    subject.tellElsewhere(owner)
  }

  @inline(never)
  private func subject(_ text: @escaping @Sendable () -> String) -> WaitSubject? {
    WaitSubject(waitObserver, on: configuration.executor, text)
  }

  /// The unfinished work and the open subscriptions, for leak reports of simulations.
  package var liveness: Liveness {
    let now = cache.now(isDated: false).instant
    let (fetches, runs, subscribers) = cache.read { state in
      (
        state.liveFetches(at: now),
        state.liveRuns(at: now),
        state.observers.liveCount + state.mutations.followers.count + state.mutations.streamCount
      )
    }
    return Liveness(
      unfinished: fetches.map { "\($0.subject) that is not settled" }
        + runs.map { "\($0.subject) that is not over" },
      work: fetches + runs,
      subscribers: subscribers
    )
  }

  /// Subscribes to news that fetches began, paused or ended.
  ///
  /// One piece of news stands for all changes since the one before.
  ///
  /// - Returns: The subscription; `nil` after the client's shutdown.
  func fetchNews() -> Broadcaster<NewsFlag<Never>>.Listener? {
    let subscription = counts.subscribe { [weak self, counts] in
      self?.transaction { state, _ in state.reports.countsFetches = counts.hasSubscribers }
    }
    transaction { state, _ in state.reports.countsFetches = counts.hasSubscribers }
    return subscription
  }

  /// Returns a stream of a subscription's items; it ends at once without a subscription.
  ///
  /// - Parameters:
  ///   - subscription: The subscription; it ends with the stream.
  ///   - subject: The cause of the wait, in words.
  ///   - element: Makes an element of an item; `nil` if there is nothing new to show.
  /// - Returns: A stream for one observer.
  func stream<Content: Inbox, Element: Sendable>(
    of subscription: Broadcaster<Content>.Listener?,
    _ subject: String,
    _ element: @escaping @Sendable (Content.Item) -> Element?
  ) -> AsyncStream<Element> {
    guard let subscription else { return AsyncStream { nil } }
    return AsyncStream(
      unfolding: { [weak self] in
        let waits = {
          self?.observerWaits(for: subject, subscription) { subscription.end() } ?? ()
        }
        while let item = await subscription.next(whenSuspended: waits) {
          if let element = element(item) { return element }
        }
        return nil
      },
      onCancel: { subscription.end() }
    )
  }
}

nonisolated extension QueryClient {
  /// Waits until nothing is going on: nothing is fetching, mutating, being restored or being saved.
  ///
  /// Use it in tests, and before a process ends or a background task is given back:
  ///
  /// ```swift
  /// try await client.mutate(.rename(), with: Rename(id: 42, name: "Ada"))
  /// await client.idle()      // what the mutation invalidated is there, and saved
  /// ```
  ///
  /// It waits for
  /// - fetches, with their retries, the waits between retries and the waits for their turn, no
  ///   matter who started them; for a stream without an end, until it delivers,
  /// - conditions of ``RefetchPolicy`` that are being evaluated: a condition that awaits this call waits for
  ///   itself,
  /// - runs of mutations, with their callbacks and retries,
  /// - stores that are being read, unless that takes too long, and work that begins after that,
  /// - changes that have to be written: they are written at once instead of at the next
  ///   opportunity.
  ///
  /// It does not wait for an event that may never come, and so ends while the network or the app is
  /// away:
  /// - paused fetches and runs, the runs behind them in their scopes, and fetches and runs of this client
  ///   whose code waits for one of these,
  /// - a durable run that has stopped until somebody answers,
  /// - a store that cannot be read or written: it is tried again later, and there is an event,
  /// - the next poll, trigger or expiry.
  ///
  /// Cancelling the caller ends the wait at once. A query that fetches again whenever it has fetched makes
  /// the wait last for ever. If the caller is part of a fetch or a run, this fetch or run does not count.
  ///
  /// - Complexity: O(*n*) in the entries that are observed or fetching, and in the runs.
  public nonisolated func idle() async {
    while !Task.isCancelled {
      // A task that outlives its fetch is no longer part of the fetch.
      let chain = TaskChain.current
      let own = chain?.lifecycle.isOver == false ? chain?.work : nil
      await workEnded(but: own)
      let before = cache.read { $0.keptCounts }
      await storesSaved()
      // If new work came meanwhile, the wait goes on, even if that work is over already.
      if cache.read({ $0.workUnderWay(but: own) == nil && $0.keptCounts == before }) { return }
    }
  }

  /// Waits until no fetch and no run goes on, or until the caller is cancelled.
  private func workEnded(but own: WorkID?) async {
    let answer = SharedOneShot<Void>()
    guard cache.record({ $0.awaitIdle(answer, in: own) }) else { return }
    _ = await answer.take(for: "a client that is idle", of: self, orGive: ())
    cache.record { $0.idleWaits.callerLeft(answer) }
  }

  /// Waits until stores and outbox have been read and have written all changes, as far as possible.
  private func storesSaved() async {
    // Callbacks of ended work may begin further work.
    await actionsPerformed()
    if let durableRuns, !Task.isCancelled { _ = await durableRuns.waitUntilRestored() }
    if let persister, !Task.isCancelled { await persister.save() }
    if let durableRuns, !Task.isCancelled { _ = await durableRuns.save() }
  }
}

extension SharedOneShot {
  /// Waits for the value, or until the caller is cancelled.
  ///
  /// - Parameters:
  ///   - subject: The name of the value, which the report of a wait that cannot end shows.
  ///   - client: The client that reports the wait; the wait does not retain it.
  ///   - value: The value for a caller that is cancelled.
  /// - Returns: The value; `nil` if another task takes it.
  package func take(
    for subject: String,
    of client: @autoclosure () -> QueryClient?,
    orGive value: Value
  ) async -> Value? {
    let wait = client()?.reportWait(for: subject) { self.give(value) }
    defer { withExtendedLifetime(wait) {} }
    return await take(orGive: value) { wait?.began() }
  }
}
