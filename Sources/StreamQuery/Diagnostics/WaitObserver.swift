import Synchronization

/// The executor of a simulation, to which clients report callers that wait for them in virtual time.
///
/// All methods are called on the task that waits, after it was suspended, and outside of locks.
package protocol WaitObserver: TaskExecutor {
  /// Called when a caller waits for a client that runs on this executor.
  func callerWaits(_ wait: CallerWait)

  /// Called when an observer waits for the next element of a stream of a client that runs on this executor.
  ///
  /// - Parameters:
  ///   - subject: The subject of the wait, in words.
  ///   - leave: Ends the observation, as a cancellation does.
  func observerWaits(for subject: () -> String, leave: () -> Void)

  /// Called when a task whose `Scheduling` names this executor waits for a client that runs elsewhere.
  ///
  /// - Parameters:
  ///   - subject: The subject of the wait, in words.
  ///   - owner: An object that lives at least as long as the wait.
  ///   - isOnPool: Whether that client has no executor of its own.
  func waitsElsewhere(
    for subject: () -> String,
    owner: any AnyObject & Sendable,
    isOnPool: Bool
  )
}

/// Whether waits are reported.
package enum WaitObservation {
  /// Whether the process has a simulation.
  ///
  /// Without one, a wait costs only a read of this flag.
  private static let isOn = Atomic(false)

  /// Begins to report waits.
  package static func startReporting() {
    isOn.store(true, ordering: .relaxed)
  }

  @inline(__always)
  static var hasBegun: Bool { isOn.load(ordering: .relaxed) }
}

/// The subject of a wait, and the observer to be told of the wait.
struct WaitSubject: Sendable {
  let observer: any WaitObserver
  let isElsewhere: Bool
  /// Whether the awaited client has no executor of its own; the client of a preview has one.
  let isOnPool: Bool
  let text: @Sendable () -> String
}

extension WaitSubject {
  /// Creates the subject of a wait of the present task; `nil` without a simulation.
  ///
  /// - Parameters:
  ///   - own: The executor of the awaited client, if that client runs in a simulation.
  ///   - executor: The executor of the subject.
  ///   - text: The subject, in words.
  init?(
    _ own: (any WaitObserver)?,
    on executor: (any TaskExecutor)?,
    _ text: @escaping @Sendable () -> String
  ) {
    let elsewhere = own == nil ? Scheduling.current.executor as? any WaitObserver : nil
    guard let observer = own ?? elsewhere else { return nil }
    self.init(
      observer: observer,
      isElsewhere: own == nil,
      isOnPool: executor == nil,
      text: text
    )
  }

  /// Reports a wait for a client that is not part of the observer's simulation.
  ///
  /// - Parameter owner: An object that lives at least as long as the wait.
  func tellElsewhere(_ owner: any AnyObject & Sendable) {
    observer.waitsElsewhere(for: text, owner: owner, isOnPool: isOnPool)
  }
}

/// The wait of one caller; exists exactly as long as the caller waits.
package final class CallerWait: Sendable {
  private let subject: WaitSubject
  private let onLeave: @Sendable () -> Void

  /// Creates the wait of the present task.
  ///
  /// - Parameters:
  ///   - subject: The subject of the wait.
  ///   - onLeave: Called when the caller is cancelled.
  init(_ subject: WaitSubject, onLeave: @escaping @Sendable () -> Void) {
    self.subject = subject
    self.onLeave = onLeave
  }

  /// Creates the wait of the present task; `nil` without a simulation.
  ///
  /// - Parameters:
  ///   - executor: The executor of the subject.
  ///   - text: The subject, in words.
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

  /// The subject of the wait, in words.
  package var text: String { subject.text() }

  /// Ends the wait as if the caller were cancelled; does nothing if it is over.
  package func abandon() {
    onLeave()
  }

  /// Reports that the caller is suspended.
  package func began() {
    if subject.isElsewhere {
      subject.tellElsewhere(self)
    } else {
      subject.observer.callerWaits(self)
    }
  }
}
