/// The wait of one caller; exists exactly as long as the caller waits.
package final class CallerWait: Sendable {
  private let subject: WaitSubject
  private let onLeave: @Sendable () -> Void

  /// Creates the wait of the present task.
  ///
  /// - Parameters:
  ///   - subject: What the caller waits for.
  ///   - onLeave: Called when the caller is cancelled.
  init(_ subject: WaitSubject, onLeave: @escaping @Sendable () -> Void) {
    self.subject = subject
    self.onLeave = onLeave
  }

  /// Creates the wait of the present task; `nil` in an app.
  ///
  /// - Parameters:
  ///   - executor: Where that runs what the caller waits for.
  ///   - text: What the caller waits for, in words.
  ///   - onLeave: Called when the caller is cancelled.
  package convenience init?(
    on executor: (any TaskExecutor)?,
    for text: String,
    onLeave: @escaping @Sendable () -> Void
  ) {
    guard WaitObservation.hasBegun,
      let subject = WaitSubject(executor as? any WaitObserver, on: executor, { text })
    else { return nil }
    self.init(subject, onLeave: onLeave)
  }

  /// What the caller waits for, in words.
  package var text: String { subject.text() }

  /// Ends the wait as if the caller were cancelled; does nothing if it is over.
  package func leave() {
    onLeave()
  }

  /// The caller is suspended.
  package func began() {
    if subject.isElsewhere {
      subject.tellElsewhere(self)
    } else {
      subject.observer.callerWaits(self)
    }
  }
}
