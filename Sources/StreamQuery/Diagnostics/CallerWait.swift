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

  /// What the caller waits for, in words.
  package var text: String { subject.text() }

  /// Ends the wait as if the caller were cancelled; does nothing if it is over.
  package func leave() {
    onLeave()
  }

  /// The caller is suspended.
  func began() {
    if subject.isElsewhere {
      subject.tellElsewhere(self)
    } else {
      subject.observer.callerWaits(self)
    }
  }
}
