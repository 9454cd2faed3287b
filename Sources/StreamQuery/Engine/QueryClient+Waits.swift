extension QueryClient {
  /// Reports a wait of the present task; `nil` in an app.
  ///
  /// - Parameters:
  ///   - text: What it waits for, in words.
  ///   - onLeave: Called when the caller is cancelled.
  /// - Returns: The wait, which lasts as long as the object.
  @inline(__always)
  package nonisolated func wait(
    for text: @autoclosure @escaping @Sendable () -> String,
    onLeave: @escaping @Sendable () -> Void
  ) -> CallerWait? {
    observed(text()).map { CallerWait($0, onLeave: onLeave) }
  }

  /// The subject for reporting a wait of the present task; `nil` in an app.
  @inline(__always)
  nonisolated func observed(_ text: @autoclosure @escaping @Sendable () -> String) -> WaitSubject? {
    WaitObservation.hasBegun ? subject(text) : nil
  }

  /// Reports that an observer of a stream is suspended.
  @inline(__always)
  nonisolated func observerWaits(
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

  /// Tells a simulation that something in it observes this client, which was made without it.
  @inline(__always)
  nonisolated func observerBegins(
    for text: @autoclosure @escaping @Sendable () -> String,
    _ owner: any AnyObject & Sendable
  ) {
    guard let subject = subject(text), subject.isElsewhere else { return }
    subject.tellElsewhere(owner)
  }

  @inline(never)
  private nonisolated func subject(_ text: @escaping @Sendable () -> String) -> WaitSubject? {
    WaitSubject(waitObserver, on: configuration.executor, text)
  }

  /// What is still running or retained, for leak reports of simulations.
  package nonisolated var liveness: Liveness {
    let now = cache.now(isDated: false).instant
    let (fetches, runs, subscribers) = cache.read { state in
      (
        state.liveFetches(at: now),
        state.liveRuns(at: now),
        state.observerCount + state.mutations.followers.count + state.mutations.streamCount
      )
    }
    return Liveness(
      unfinished: fetches.map { "\($0.subject) that is not settled" }
        + runs.map { "\($0.subject) that is not over" },
      work: fetches + runs,
      subscribers: subscribers
    )
  }

  /// Tells that fetches began, paused or ended, once for all that did since it was last asked.
  ///
  /// - Returns: The subscription; `nil` after the client's shutdown.
  nonisolated func fetchNews() -> Broadcaster<NewsFlag<Never>>.Listener? {
    let subscription = counts.subscribe { [weak self, counts] in
      self?.transaction { state, _ in state.countsFetches = counts.hasSubscribers }
    }
    transaction { state, _ in state.countsFetches = counts.hasSubscribers }
    return subscription
  }

  /// Returns a stream of what a subscription brings; it ends at once without a subscription.
  ///
  /// - Parameters:
  ///   - subscription: The subscription, which ends with the stream.
  ///   - subject: What the stream waits for, in words.
  ///   - element: Makes an element of an item; `nil` if there is nothing new to show.
  /// - Returns: A stream for one observer.
  nonisolated func stream<Content: Inbox, Element: Sendable>(
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
