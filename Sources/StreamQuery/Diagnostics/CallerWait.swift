/// The wait of one caller; lives exactly as long as that.
package final class CallerWait: Sendable {
  private let subject: WaitSubject
  private let onLeave: @Sendable () -> Void

  /// Creates the wait of the present task.
  ///
  /// - Parameters:
  ///   - subject: What for.
  ///   - onLeave: What a cancellation of the caller does.
  init(_ subject: WaitSubject, onLeave: @escaping @Sendable () -> Void) {
    self.subject = subject
    self.onLeave = onLeave
  }

  /// What the caller waits for, in words.
  package var text: String { subject.text() }

  /// Ends the wait as if the caller were cancelled; nothing if it is over.
  package func leave() {
    onLeave()
  }

  /// The caller is parked.
  func began() {
    if subject.isElsewhere {
      subject.observer.waitsElsewhere(for: subject.text, owner: self)
    } else {
      subject.observer.callerWaits(self)
    }
  }
}
