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
}
